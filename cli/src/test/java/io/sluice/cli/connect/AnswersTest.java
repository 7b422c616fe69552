package io.sluice.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswersTest {
    private static Answers<Integer> answers(String... names) {
        return Answers.of(List.of(names), name -> {
            if (name.startsWith("no")) {
                throw new UserException(ExitCode.FAILED, "There is no topic '" + name + "'.");
            }
            return name.length();
        });
    }

    @Test
    void keepsWhatCameAndTellsOfEveryFailure() {
        Answers<Integer> answers = answers("a", "none", "bc", "nowhere");

        assertThat(answers.given()).containsExactly(java.util.Map.entry("a", 1), java.util.Map.entry("bc", 2));
        UserException failure = catchThrowableOfType(UserException.class, answers::requireAll);
        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line()).isEqualTo("There is no topic 'none'. There is no topic 'nowhere'.");
    }

    @Test
    void asksOnceForWhatIsNamedTwice() {
        assertThat(answers("none", "none").failures()).hasSize(1);
    }

    @Test
    void failsOfNothingWhenAllCame() {
        answers("a", "b").requireAll();

        assertThat(answers("a", "b").failures()).isEmpty();
    }
}
