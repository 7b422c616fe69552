/**
 * The metadata seam: {@link io.sluice.base.metadata.MetadataStore} holds versioned values, {@link io.sluice.base.metadata.ClusterImage} is the immutable picture that everybody else reads.
 */
@NullMarked
package io.sluice.base.metadata;

import org.jspecify.annotations.NullMarked;
