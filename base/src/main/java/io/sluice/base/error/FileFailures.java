package io.sluice.base.error;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** What a failed file operation means to a person: the messages of java.nio's exceptions are often a bare path. */
public final class FileFailures {
    /** The system's words for a descriptor that is not open, or not for this. */
    private static final String CLOSED_DESCRIPTOR = "Bad file descriptor";

    private FileFailures() {}

    /** Which file and what is wrong with it, such as {@code data/meta.properties: permission denied}; no full stop. */
    public static String text(IOException failure) {
        if (failure instanceof FileSystemException onFile && onFile.getFile() != null) {
            String other = onFile.getOtherFile() == null ? "" : " -> " + onFile.getOtherFile();
            return onFile.getFile() + other + ": " + reason(onFile);
        }
        return sentence(Objects.requireNonNullElse(
                failure.getMessage(), failure.getClass().getSimpleName()));
    }

    /** The same for an exception that had to be wrapped. */
    public static String text(UncheckedIOException failure) {
        return text(Objects.requireNonNull(failure.getCause()));
    }

    /** What is wrong, without the file's name; for a message that names it already. */
    public static String reason(IOException failure) {
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof NoSuchFileException) {
            return "there is no such file or directory";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "something of that name is there already";
        }
        if (failure instanceof NotDirectoryException) {
            return "this is no directory";
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return "the directory is not empty";
        }
        if (failure instanceof UnknownHostException) {
            return "this machine knows no host '" + failure.getMessage() + "'";
        }
        if (failure instanceof FileSystemException onFile && onFile.getReason() != null) {
            return sentence(onFile.getReason());
        }
        return sentence(Objects.requireNonNullElse(
                failure.getMessage(), failure.getClass().getSimpleName()));
    }

    /** One line, without the full stop that whoever quotes it puts behind. */
    private static String sentence(String message) {
        String line = message.replaceAll("\\s*\\R\\s*", " ").strip();
        if (line.equals(CLOSED_DESCRIPTOR)) {
            return "it is closed";
        }
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }
}
