/**
 * {@code sluice group …}. Start with {@link io.sluice.cli.group.GroupCommands}.
 */
@NullMarked
package io.sluice.cli.group;

import org.jspecify.annotations.NullMarked;
