package io.sluice.broker.share;

import java.util.List;

/** Acknowledge types as they come in a request. */
final class Types {
    private Types() {}

    static byte[] of(List<Byte> types) {
        byte[] bytes = new byte[types.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = types.get(i);
        }
        return bytes;
    }
}
