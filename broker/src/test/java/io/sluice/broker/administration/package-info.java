/** Tests of the handlers that describe and change a cluster, through sockets. */
@NullMarked
package io.sluice.broker.administration;

import org.jspecify.annotations.NullMarked;
