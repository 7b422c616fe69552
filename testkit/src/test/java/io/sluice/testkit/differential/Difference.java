package io.sluice.testkit.differential;

/**
 * A field that the two brokers answer differently.
 *
 * @param caseId of the case
 * @param field path of the field: label of the answer, then field names and keys
 * @param reference Kafka's value
 * @param candidate Sluice's value
 */
public record Difference(String caseId, String field, String reference, String candidate) {
    @Override
    public String toString() {
        return caseId + "  " + field + ": Kafka " + reference + ", Sluice " + candidate;
    }
}
