/**
 * The file-system seam: everything the engine does to files goes through it, so that faults can be simulated.
 */
@NullMarked
package io.sluice.storage.file;

import org.jspecify.annotations.NullMarked;
