// What kafkajs does with a broker. Arguments: path of the module, bootstrap server, prefix for names. Prints "done" if all
// went well.
const [modulePath, bootstrap, prefix] = process.argv.slice(2);
const { Kafka, CompressionTypes, logLevel } = require(modulePath);
const assert = require('assert');

const RECORDS = 300;
const PARTITIONS = 4;
const LIMIT_MILLIS = 60000;
const kafka = new Kafka({ clientId: 'kafkajs', brokers: [bootstrap], logLevel: logLevel.ERROR });

async function until(what, condition) {
  const start = Date.now();
  while (!condition()) {
    if (Date.now() - start > LIMIT_MILLIS) throw new Error('waited in vain for ' + what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function create(topic) {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS, replicationFactor: 1 }] });
  await admin.disconnect();
}

const value = (i) => `value ${i}, long enough to be worth compressing. `.repeat(5);

async function produce(topic, compression, first, count) {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const messages = [];
  for (let i = first; i < first + count; i++) {
    messages.push({ key: `key ${i}`, value: value(i), headers: { about: `header ${i}` } });
  }
  await producer.send({ topic, acks: -1, compression, messages });
  await producer.disconnect();
}

function verify(message) {
  const i = Number(message.key.toString().split(' ')[1]);
  assert.strictEqual(message.value.toString(), value(i));
  assert.strictEqual(message.headers.about.toString(), `header ${i}`);
  return i;
}

async function member(topic, groupId) {
  const consumer = kafka.consumer({ groupId, rebalanceTimeout: 10000, heartbeatInterval: 300 });
  const self = { consumer, assigned: 0, found: [], failure: null };
  consumer.on(consumer.events.GROUP_JOIN, (event) => {
    self.assigned = (event.payload.memberAssignment[topic] || []).length;
  });
  consumer.on(consumer.events.CRASH, (event) => { self.failure = event.payload.error; });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ eachMessage: async ({ message }) => { self.found.push(verify(message)); } });
  return self;
}

const ascending = (list) => [...list].sort((a, b) => a - b);
const range = (first, count) => Array.from({ length: count }, (_, i) => first + i);

async function producesAndConsumes(name, compression) {
  const topic = `${prefix}-${name}`;
  await create(topic);
  await produce(topic, compression, 0, RECORDS);
  const reader = await member(topic, topic + '-g');
  await until('records of ' + topic, () => reader.found.length >= RECORDS);
  assert.deepStrictEqual(ascending(reader.found), range(0, RECORDS));
  await reader.consumer.disconnect();
  console.log('produced and consumed:', name);
}

async function sharesPartitions() {
  const topic = `${prefix}-group`;
  await create(topic);
  const one = await member(topic, topic + '-g');
  await until('the first member to own everything', () => one.assigned === PARTITIONS);
  const two = await member(topic, topic + '-g');
  await until('two members to own half each', () => one.assigned === PARTITIONS / 2 && two.assigned === PARTITIONS / 2);
  await produce(topic, CompressionTypes.None, 0, RECORDS);
  await until('both members to get all records', () => one.found.length + two.found.length >= RECORDS);
  await one.consumer.disconnect();
  await until('the second member to own everything', () => two.assigned === PARTITIONS);
  await two.consumer.disconnect();
  assert(one.found.length > 0 && two.found.length > 0);
  assert.deepStrictEqual(ascending([...one.found, ...two.found]), range(0, RECORDS));
  const three = await member(topic, topic + '-g');
  await until('the third member to own everything', () => three.assigned === PARTITIONS);
  await produce(topic, CompressionTypes.None, RECORDS, 10);
  await until('the third member to get what is new', () => three.found.length >= 10);
  await three.consumer.disconnect();
  assert.deepStrictEqual(ascending(three.found), range(RECORDS, 10));
  console.log('shared partitions in a group');
}

(async () => {
  await producesAndConsumes('none', CompressionTypes.None);
  await producesAndConsumes('gzip', CompressionTypes.GZIP);
  await sharesPartitions();
  console.log('done');
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
  process.exit();
});
