package io.sluice.server.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.StorageKeys;

/** What the disk of the data directory has to give. */
public final class RoomLimit {
    private RoomLimit() {}

    /**
     * Refuses a mark that no disk of this size can be above: it would refuse all producers for ever.
     *
     * @param diskBytes the whole disk's; 0 or less where the file system does not tell, as some of FUSE and 9p
     * @throws ConfigException for such a mark
     */
    public static void require(ConfigValues values, long diskBytes) {
        long low = values.get(StorageKeys.LOW_SPACE_BYTES);
        if (diskBytes > 0 && low >= diskBytes && values.isSet(StorageKeys.LOW_SPACE_BYTES)) {
            throw new ConfigException(
                    StorageKeys.LOW_SPACE_BYTES.name(),
                    "Invalid value '" + low + "' for " + StorageKeys.LOW_SPACE_BYTES.name()
                            + ": allowed is less than the whole disk, which has " + diskBytes + " bytes.",
                    null);
        }
    }
}
