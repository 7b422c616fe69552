package io.sluice.storage.log;

/** Takes the result of a read. */
@FunctionalInterface
public interface ReadListener {
    /** Called once. Records inside belong to the callee, who must release them. */
    void onRead(ReadResult result);
}
