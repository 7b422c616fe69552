package io.sluice.base.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.junit.jupiter.api.Test;

class FileFailuresTest {
    @Test
    void saysWhatABarePathMeans() {
        assertThat(FileFailures.text(new AccessDeniedException("data/.lock")))
                .isEqualTo("data/.lock: permission denied");
        assertThat(FileFailures.text(new NoSuchFileException("data")))
                .isEqualTo("data: there is no such file or directory");
        assertThat(FileFailures.text(new FileAlreadyExistsException("data")))
                .isEqualTo("data: something of that name is there already");
        assertThat(FileFailures.text(new NotDirectoryException("data"))).isEqualTo("data: this is no directory");
    }

    @Test
    void keepsTheSystemsOwnReason() {
        assertThat(FileFailures.text(new FileSystemException("a", "b", "Invalid cross-device link")))
                .isEqualTo("a -> b: Invalid cross-device link");
        assertThat(FileFailures.reason(new FileSystemException("a", null, "Read-only file system")))
                .isEqualTo("Read-only file system");
    }

    @Test
    void takesOtherMessagesInOneLineWithoutAFullStop() {
        assertThat(FileFailures.text(new IOException("no space\n left."))).isEqualTo("no space left");
        assertThat(FileFailures.text(new IOException())).isEqualTo("IOException");
        assertThat(FileFailures.text(new UncheckedIOException(new AccessDeniedException("x"))))
                .isEqualTo("x: permission denied");
    }
}
