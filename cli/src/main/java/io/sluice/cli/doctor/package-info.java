/**
 * {@code sluice doctor}: looks at the machine as a node would use it, and says what to do. Start with {@link
 * io.sluice.cli.doctor.DoctorCommand}; each check answers with findings and touches nothing but a file of its own, which
 * it deletes.
 */
@NullMarked
package io.sluice.cli.doctor;

import org.jspecify.annotations.NullMarked;
