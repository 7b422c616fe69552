package io.sluice.testkit.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.sluice.base.config.ConfigKey;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.config.TopicConfigKeys;
import io.sluice.storage.config.TopicDefaultKeys;
import java.util.Set;

/** A topic's setting is read by somebody, or its description says that it has no effect, and why. */
@AnalyzeClasses(packages = "io.sluice", importOptions = ArchitectureTest.MainCodeOnly.class)
class SettingsAreReadTest {
    private static final Set<Class<?>> LISTS = Set.of(TopicConfigKeys.class, TopicDefaultKeys.class);

    @ArchTest
    static final ArchRule everyTopicSettingIsUsed = methods()
            .that()
            .areDeclaredIn(TopicConfig.class)
            .and()
            .arePublic()
            .and()
            .areNotStatic()
            .should(new ArchCondition<>("be called by others") {
                @Override
                public void check(JavaMethod method, ConditionEvents events) {
                    boolean called = method.getCallsOfSelf().stream()
                            .anyMatch(call -> !call.getOriginOwner().equals(method.getOwner()));
                    if (!called) {
                        events.add(
                                SimpleConditionEvent.violated(method, method.getFullName() + " is called by nobody"));
                    }
                }
            });

    @ArchTest
    static final ArchRule everyTopicKeyIsReadOrSaysThatItHasNoEffect = fields().that()
            .areDeclaredIn(TopicConfigKeys.class)
            .and()
            .haveRawType(ConfigKey.class)
            .should(new ArchCondition<>("be read, or say that they have no effect") {
                @Override
                public void check(JavaField field, ConditionEvents events) {
                    boolean read = field.getAccessesToSelf().stream()
                            .anyMatch(access -> LISTS.stream()
                                    .noneMatch(list -> access.getOriginOwner().isEquivalentTo(list)));
                    if (read == saysNoEffect(field)) {
                        events.add(SimpleConditionEvent.violated(
                                field,
                                field.getFullName() + (read ? " is read, against its description" : " is unread")));
                    }
                }
            });

    private static boolean saysNoEffect(JavaField field) {
        try {
            String doc = ((ConfigKey<?>) field.reflect().get(null)).doc();
            return doc.contains("Kept, without effect") || doc.contains("only false is accepted");
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
