package io.sluice.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.ResultStream;
import io.sluice.server.Main;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The reference pages say what the code says. To write them again:
 * {@code mvn -Dquick -pl server test -Dtest=ReferencePagesTest -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.docs.write=true}
 */
class ReferencePagesTest {
    private static final boolean WRITE = Boolean.getBoolean("sluice.docs.write");

    static List<ReferencePages.Page> pages() {
        ResultStream nowhere = new ResultStream(OutputStream.nullOutputStream());
        Console console = new Console(
                InputStream.nullInputStream(),
                nowhere,
                nowhere,
                false,
                false,
                false,
                SystemClock.INSTANCE,
                ZoneOffset.UTC,
                Map.of(),
                task -> {});
        return ReferencePages.all(Main.commandLine(console));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageSaysWhatTheCodeSays(ReferencePages.Page page) throws Exception {
        Path file =
                Path.of(System.getProperty("basedir")).resolveSibling("docs").resolve(page.name());
        if (WRITE) {
            Files.writeString(file, page.text());
        }

        assertThat(file).as("written again with -Dsluice.docs.write=true").hasContent(page.text());
    }
}
