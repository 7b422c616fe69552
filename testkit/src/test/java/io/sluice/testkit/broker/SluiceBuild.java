package io.sluice.testkit.broker;

import io.sluice.testkit.process.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Which program a Sluice node is. */
public enum SluiceBuild {
    /** The distribution that the build has made, through its launcher. */
    SHIPPED {
        @Override
        List<String> command() {
            Path launcher = Settings.root().resolve("server/target/dist/bin/sluice");
            if (!Files.isExecutable(launcher)) {
                throw new IllegalStateException(
                        launcher + " is missing. Build it with: mvn -Dquick -pl server package -DskipTests");
            }
            return List.of(launcher.toString());
        }
    },
    /** One that breaks the promise: {@link AcknowledgingEarly}. */
    ACKNOWLEDGING_EARLY {
        @Override
        List<String> command() {
            return ofTestKit(AcknowledgingEarly.class);
        }
    },
    /** One whose wall clock is set by a test: {@link WallClockFromFile}. */
    WALL_CLOCK_FROM_FILE {
        @Override
        List<String> command() {
            return ofTestKit(WallClockFromFile.class);
        }
    };

    /** Program and first arguments, before those of the product. */
    abstract List<String> command();

    private static List<String> ofTestKit(Class<?> main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:MaxDirectMemorySize=512m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
    }
}
