package io.sluice.testkit.differential;

import java.util.List;

/** Every case, in the order in which they run. */
final class AllCases {
    private AllCases() {}

    static List<Case> list() {
        Cases cases = new Cases();
        ApiVersionsCases.addTo(cases);
        FrameCases.addTo(cases);
        return cases.all();
    }
}
