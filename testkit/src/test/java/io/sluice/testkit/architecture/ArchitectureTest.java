package io.sluice.testkit.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.nio.file.Path;

/** The directions between modules and packages, who may use which library, and what nobody may do. */
@AnalyzeClasses(packages = "io.sluice", importOptions = ArchitectureTest.MainCodeOnly.class)
class ArchitectureTest {
    private static final String BASE = "io.sluice.base..";
    private static final String PROTOCOL = "io.sluice.protocol..";
    private static final String STORAGE = "io.sluice.storage..";
    private static final String COORDINATOR = "io.sluice.coordinator..";
    private static final String BROKER = "io.sluice.broker..";
    private static final String CLI = "io.sluice.cli..";
    private static final String SERVER = "io.sluice.server..";
    private static final String OURS = "io.sluice..";

    /** Leaves out the tests of all modules and this module. */
    static final class MainCodeOnly implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("test-classes")
                    && !location.contains("-tests.jar")
                    && !location.contains("testkit/target/");
        }
    }

    @ArchTest
    static final ArchRule baseUsesNoOtherModule = uses(BASE);

    @ArchTest
    static final ArchRule protocolUsesBase = uses(PROTOCOL, BASE);

    @ArchTest
    static final ArchRule storageUsesProtocolAndBase = uses(STORAGE, PROTOCOL, BASE);

    @ArchTest
    static final ArchRule coordinatorUsesStorageAndBelow = uses(COORDINATOR, STORAGE, PROTOCOL, BASE);

    @ArchTest
    static final ArchRule brokerUsesCoordinatorAndBelow = uses(BROKER, COORDINATOR, STORAGE, PROTOCOL, BASE);

    @ArchTest
    static final ArchRule cliKnowsNoBroker = uses(CLI, STORAGE, PROTOCOL, BASE);

    @ArchTest
    static final ArchRule nobodyUsesTheServer = noClasses()
            .that(not(resideInAPackage(SERVER)))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(SERVER);

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule onlyBaseTimeReadsClocks = noClasses()
            .that(not(resideInAPackage("io.sluice.base.time..")))
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(java.time.Clock.class, "systemUTC")
            .orShould()
            .callMethod(java.time.Clock.class, "systemDefaultZone")
            .orShould()
            .callConstructor(java.util.Date.class)
            .because("time is a constructor argument");

    @ArchTest
    static final ArchRule logsAreForcedByTheirDurableStep = noClasses()
            .that(resideInAPackage("io.sluice.storage.local.."))
            .and()
            .doNotHaveFullyQualifiedName("io.sluice.storage.local.segment.DurableStep")
            .and(not(forcesWhatIsNoLogs()))
            .should()
            .callMethod(StorageFile.class, "force", boolean.class)
            .orShould()
            .callMethod(FileSystem.class, "forceDirectory", Path.class)
            .because("a force that failed must fence, and must not be repeated");

    /**
     * The catalogue fences by itself; the journal's note is only older where its force failed; the others run before anything is
     * appended.
     */
    private static DescribedPredicate<JavaClass> forcesWhatIsNoLogs() {
        return simpleName("Catalogue")
                .or(simpleName("DataDirectory"))
                .or(simpleName("JournalNote"))
                .or(simpleName("Leftovers"));
    }

    @ArchTest
    static final ArchRule nobodySleeps = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", long.class, int.class)
            .because("waits are events or timers");

    @ArchTest
    static final ArchRule randomnessIsHandedIn = noClasses()
            .that(not(resideInAnyPackage(SERVER, CLI, "io.sluice.base.id")))
            .should()
            .callConstructor(java.util.Random.class)
            .orShould()
            .callConstructor(java.security.SecureRandom.class)
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callMethod(java.util.concurrent.ThreadLocalRandom.class, "current")
            .orShould()
            .callMethod(java.util.UUID.class, "randomUUID")
            .because("randomness is a constructor argument");

    @ArchTest
    static final ArchRule onlyTheServerExits = noClasses()
            .that(not(resideInAPackage(SERVER)))
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class)
            .orShould()
            .callMethod(System.class, "gc");

    @ArchTest
    static final ArchRule channelsAreTheBrokersAndTheServers = noClasses()
            .that(not(resideInAnyPackage("io.sluice.broker.net..", SERVER)))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty.bootstrap..", "io.netty.handler.codec.http..", "io.netty.channel.epoll..");

    @ArchTest
    static final ArchRule storageAndBelowKnowOnlyNettysBuffers = noClasses()
            .that(resideInAnyPackage(BASE, PROTOCOL, STORAGE, COORDINATOR, CLI))
            .should()
            .dependOnClassesThat(resideInAPackage("io.netty..")
                    .and(not(resideInAnyPackage("io.netty.buffer..", "io.netty.util.."))));

    @ArchTest
    static final ArchRule baseAndStorageKnowNoKafka = noClasses()
            .that(resideInAnyPackage(BASE, STORAGE))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka..");

    @ArchTest
    static final ArchRule kafkasCoordinatorIsBehindOurPort = noClasses()
            .that(not(resideInAPackage(COORDINATOR)))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.apache.kafka.coordinator..",
                    "org.apache.kafka.image..",
                    "org.apache.kafka.metadata..",
                    "org.apache.kafka.server..");

    @ArchTest
    static final ArchRule kafkasStorageIsForValidationAndItsCoordinator = noClasses()
            .that(not(resideInAnyPackage(PROTOCOL, COORDINATOR)))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka.storage..");

    @ArchTest
    static final ArchRule noKafkaServerAtRunTime =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("kafka..", "scala..");

    @ArchTest
    static final ArchRule noClusterLibrariesOutsideCluster = noClasses()
            .that(not(resideInAPackage("io.sluice.cluster..")))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.zookeeper..", "org.apache.bookkeeper..", "org.apache.curator..");

    @ArchTest
    static final ArchRule namesSayWhatThingsAre = classes()
            .that()
            .resideInAPackage(OURS)
            .and()
            .areTopLevelClasses()
            .should()
            .haveNameNotMatching(".*(Manager|Helper|Util|Utils|Impl|Base|Data|Common)$");

    @ArchTest
    static final ArchRule packagesSayWhatTheyAreFor = noClasses()
            .should()
            .resideInAnyPackage("..common..", "..util..", "..utils..", "..helper..", "..internal..");

    private static ArchRule uses(String module, String... others) {
        String[] allowed = java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(module), java.util.Arrays.stream(others))
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(module)
                .should()
                .dependOnClassesThat(resideInAPackage(OURS).and(not(resideInAnyPackage(allowed))));
    }
}
