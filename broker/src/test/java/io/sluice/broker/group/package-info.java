/** Tests of the group handlers, over sockets. */
@NullMarked
package io.sluice.broker.group;

import org.jspecify.annotations.NullMarked;
