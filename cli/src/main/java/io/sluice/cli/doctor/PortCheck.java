package io.sluice.cli.doctor;

import io.sluice.cli.connect.ListenProbe;
import java.util.List;
import java.util.Optional;

/**
 * Whether the ports are free, or held by whom they are for.
 *
 * @param host where clients are listened for
 * @param adminHost where the admin port is
 * @param use the node that runs on the data directory, if one does
 */
record PortCheck(SystemFiles files, String host, int port, String adminHost, int adminPort, DirectoryUse use) {
    List<Finding> run() {
        return List.of(
                check("port", host, port, "--port"),
                port == adminPort && port != 0
                        ? Finding.problem(
                                "admin port",
                                port + " is the port for clients, too",
                                "Choose another with --admin-port N.")
                        : check("admin port", adminHost, adminPort, "--admin-port"));
    }

    private Finding check(String name, String checkedHost, int checkedPort, String option) {
        ListenProbe.Refusal refusal = ListenProbe.refusal(checkedHost, checkedPort);
        if (checkedPort == 0 && refusal == null) {
            return Finding.ok(name, "the system chooses one that is free");
        }
        String address = checkedHost + ":" + checkedPort;
        if (refusal == null) {
            return use.pid().isEmpty()
                    ? Finding.ok(name, address + " is free")
                    : Finding.warning(
                            name,
                            address + " is free, so this data directory's node, process "
                                    + use.pid().getAsLong()
                                    + ", does not listen there",
                            "Its log, or the line it began with, tells where it listens; name that with --host, --port,"
                                    + " --admin-host and --admin-port.");
        }
        String found = address + " cannot be had (" + refusal.reason() + ")";
        if (refusal.hostIsWrong()) {
            return Finding.problem(
                    name, found, "Name one of this machine's addresses with " + option.replace("port", "host") + " H.");
        }
        String advice = "Stop what uses it ('ss -ltnp' tells), or choose another with " + option + " N.";
        if (!use.inUse()) {
            return Finding.problem(name, found, advice);
        }
        if (use.pid().isEmpty()) {
            return Finding.warning(name, found, "If that is not this data directory's node: " + advice);
        }
        long pid = use.pid().getAsLong();
        Optional<Boolean> holds = new PortHolder(files).listens(pid, checkedHost, checkedPort);
        if (holds.isEmpty()) {
            return Finding.warning(
                    name, found, "If that is not this data directory's node (process " + pid + "): " + advice);
        }
        return holds.get()
                ? Finding.ok(name, address + " is held by this data directory's node, process " + pid)
                : Finding.problem(name, found, advice);
    }
}
