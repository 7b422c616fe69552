package io.sluice.testkit.differential;

import java.util.List;

/** Every case, in the order in which they run. */
final class AllCases {
    private AllCases() {}

    static List<Case> list() {
        Cases cases = new Cases();
        ApiVersionsCases.addTo(cases);
        FrameCases.addTo(cases);
        MetadataCases.addTo(cases);
        ProduceCases.addTo(cases);
        ProduceErrorCases.addTo(cases);
        IdempotenceCases.addTo(cases);
        FetchCases.addTo(cases);
        FetchSessionCases.addTo(cases);
        OffsetLookupCases.addTo(cases);
        TopicCases.addTo(cases);
        ConfigCases.addTo(cases);
        GroupConfigCases.addTo(cases);
        ClientMetricsCases.addTo(cases);
        ConfigResourceCases.addTo(cases);
        ClusterCases.addTo(cases);
        GroupCases.addTo(cases);
        OffsetCases.addTo(cases);
        GroupAdminCases.addTo(cases);
        ConsumerGroupCases.addTo(cases);
        ShareGroupCases.addTo(cases);
        ShareStateCases.addTo(cases);
        StreamsGroupCases.addTo(cases);
        StreamsTopologyCases.addTo(cases);
        StreamsAdminCases.addTo(cases);
        ReplicaCases.addTo(cases);
        SecurityCases.addTo(cases);
        TransactionCases.addTo(cases);
        TransactionDataCases.addTo(cases);
        TelemetryCases.addTo(cases);
        return cases.all();
    }
}
