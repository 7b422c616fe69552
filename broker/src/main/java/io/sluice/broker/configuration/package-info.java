/**
 * Shows and changes settings of topics, brokers, groups and loggers. Handlers start on an event loop; changes are made durable
 * by the catalogues and answered then; nothing blocks. Start with {@link
 * io.sluice.broker.configuration.DescribeConfigsHandler} and {@link io.sluice.broker.configuration.ConfigAlteration}.
 */
@NullMarked
package io.sluice.broker.configuration;

import org.jspecify.annotations.NullMarked;
