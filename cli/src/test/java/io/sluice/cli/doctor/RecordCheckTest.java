package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.LocalFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data directories that no start would take: the reason says what to do, and nothing else is advised. */
class RecordCheckTest {
    private static final long CATALOGUE_MAGIC = 0x534c554943455631L;

    @TempDir
    private Path data;

    private Finding check() {
        List<Finding> findings = new RecordCheck(new LocalFileSystem(), data, DirectoryUse.NONE).run();
        assertThat(findings).hasSize(1);
        assertThat(findings.get(0).status()).isEqualTo(Finding.Status.PROBLEM);
        assertThat(findings.get(0).advice()).isEqualTo("A start is refused for this.");
        return findings.get(0);
    }

    private void writeMeta(String text) throws IOException {
        Files.writeString(data.resolve("meta.properties"), text);
    }

    private void writeCatalogue(long magic, int version) throws IOException {
        writeMeta("format=1\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nnode.id=1\n");
        Files.write(
                data.resolve("catalogue"),
                ByteBuffer.allocate(12).putLong(magic).putInt(version).array());
    }

    @Test
    void sendsWhoHasKafkasDirectoryToAnotherOne() throws IOException {
        writeMeta("version=1\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nnode.id=1\n");

        assertThat(check().found()).contains("has no format", "Choose another directory");
    }

    @Test
    void sendsWhoHasANewerCatalogueToTheVersionThatWroteIt() throws IOException {
        writeCatalogue(CATALOGUE_MAGIC, 99);

        assertThat(check().found()).contains("has format 99", "Start it with the version that wrote it");
    }

    @Test
    void sendsWhoHasADamagedCatalogueToACopy() throws IOException {
        writeCatalogue(0, 0);

        assertThat(check().found()).contains("catalogue is damaged", "Restore the data directory from a copy");
    }
}
