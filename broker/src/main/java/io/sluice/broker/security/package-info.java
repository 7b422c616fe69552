/**
 * APIs of access control and delegation tokens while security is off: they answer as Kafka's do without an authorizer and on
 * listeners without authentication. Start reading at {@link io.sluice.broker.security.SecurityOffHandler}, which runs on event
 * loops.
 */
@NullMarked
package io.sluice.broker.security;

import org.jspecify.annotations.NullMarked;
