package io.sluice.testkit.compat;

import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Jars that are fetched when a suite runs, by a pom of their own in the build directory: with all that they need. */
final class ForeignJars {
    private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies";
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private ForeignJars() {}

    /**
     * Fetches them, unless they are there.
     *
     * @param name of their directory
     * @param artifacts each {@code group:artifact:version} or {@code group:artifact:version:classifier}
     * @return the directory
     */
    static Path fetch(String name, List<String> artifacts) throws IOException, InterruptedException {
        Path directory = Settings.target().resolve("compat").resolve(name);
        Path jars = directory.resolve("jars");
        Path done = directory.resolve("fetched");
        if (Files.exists(done)) {
            return jars;
        }
        Files.createDirectories(directory);
        Path pom = Files.writeString(directory.resolve("pom.xml"), pom(artifacts));
        Commands.Outcome outcome = Commands.attempt(
                List.of("mvn", "-B", "-q", "-f", pom.toString(), COPY, "-DoutputDirectory=" + jars), LIMIT);
        if (outcome.exitStatus() != 0) {
            throw new IOException(artifacts + " could not be fetched: " + outcome.output());
        }
        Files.createFile(done);
        return jars;
    }

    private static String pom(List<String> artifacts) {
        StringBuilder pom = new StringBuilder("<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n"
                + "<modelVersion>4.0.0</modelVersion><groupId>foreign</groupId><artifactId>suite</artifactId>"
                + "<version>1</version>\n<dependencies>\n");
        for (String artifact : artifacts) {
            String[] parts = artifact.split(":", -1);
            pom.append("<dependency><groupId>" + parts[0] + "</groupId><artifactId>" + parts[1]
                    + "</artifactId><version>" + parts[2] + "</version>"
                    + (parts.length > 3 ? "<classifier>" + parts[3] + "</classifier>" : "") + "</dependency>\n");
        }
        return pom.append("</dependencies>\n</project>\n").toString();
    }
}
