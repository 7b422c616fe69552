package io.sluice.testkit.differential;

/** What a case does with one broker. Run once against each side; must ask the same of both. */
@FunctionalInterface
interface Script {
    void run(Session session) throws Exception;
}
