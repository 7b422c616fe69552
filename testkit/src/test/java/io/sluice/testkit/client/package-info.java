/**
 * Foreign clients, each in a process of its own: Java clients of four generations, kcat, kafka-python, kafkajs. Start reading at {@link io.sluice.testkit.client.ForeignClientTest}.
 */
@NullMarked
package io.sluice.testkit.client;

import org.jspecify.annotations.NullMarked;
