package io.sluice.testkit.differential;

import java.util.List;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateDelegationTokenRequestData;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeDelegationTokenRequestData;
import org.apache.kafka.common.message.ExpireDelegationTokenRequestData;
import org.apache.kafka.common.message.RenewDelegationTokenRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;

/** Access control and delegation tokens while security is off. */
final class SecurityCases {
    private SecurityCases() {}

    static void addTo(Cases cases) {
        addAcls(cases);
        addTokens(cases);
    }

    private static void addAcls(Cases cases) {
        cases.everyVersion(
                ApiKeys.DESCRIBE_ACLS,
                "no authorizer",
                s -> s.record(
                        "answer",
                        new DescribeAclsRequestData()
                                .setResourceTypeFilter(ResourceType.TOPIC.code())
                                .setPatternTypeFilter(PatternType.ANY.code())
                                .setOperation(AclOperation.ANY.code())
                                .setPermissionType(AclPermissionType.ANY.code())));
        cases.everyVersion(ApiKeys.CREATE_ACLS, "no authorizer", s -> {
            CreateAclsRequestData.AclCreation creation = new CreateAclsRequestData.AclCreation()
                    .setResourceType(ResourceType.TOPIC.code())
                    .setResourceName(s.name("t"))
                    .setResourcePatternType(PatternType.LITERAL.code())
                    .setPrincipal("User:somebody")
                    .setHost("*")
                    .setOperation(AclOperation.READ.code())
                    .setPermissionType(AclPermissionType.ALLOW.code());
            s.record("two", new CreateAclsRequestData().setCreations(List.of(creation, creation.duplicate())));
        });
        cases.everyVersion(ApiKeys.DELETE_ACLS, "no authorizer", s -> {
            DeleteAclsRequestData.DeleteAclsFilter filter = new DeleteAclsRequestData.DeleteAclsFilter()
                    .setResourceTypeFilter(ResourceType.TOPIC.code())
                    .setResourceNameFilter(s.name("t"))
                    .setPatternTypeFilter(PatternType.LITERAL.code())
                    .setOperation(AclOperation.ANY.code())
                    .setPermissionType(AclPermissionType.ANY.code());
            s.record("two", new DeleteAclsRequestData().setFilters(List.of(filter, filter.duplicate())));
        });
    }

    private static void addTokens(Cases cases) {
        cases.everyVersion(
                ApiKeys.CREATE_DELEGATION_TOKEN,
                "not authenticated",
                s -> s.record("answer", new CreateDelegationTokenRequestData().setMaxLifetimeMs(1_000_000)));
        cases.everyVersion(
                ApiKeys.RENEW_DELEGATION_TOKEN,
                "not authenticated",
                s -> s.record(
                        "answer",
                        new RenewDelegationTokenRequestData()
                                .setHmac(new byte[] {1, 2})
                                .setRenewPeriodMs(1_000)));
        cases.everyVersion(
                ApiKeys.EXPIRE_DELEGATION_TOKEN,
                "not authenticated",
                s -> s.record(
                        "answer",
                        new ExpireDelegationTokenRequestData()
                                .setHmac(new byte[] {1, 2})
                                .setExpiryTimePeriodMs(1_000)));
        cases.everyVersion(ApiKeys.DESCRIBE_DELEGATION_TOKEN, "not authenticated", s -> {
            s.record("all", new DescribeDelegationTokenRequestData().setOwners(null));
            s.record("none", new DescribeDelegationTokenRequestData());
        });
    }
}
