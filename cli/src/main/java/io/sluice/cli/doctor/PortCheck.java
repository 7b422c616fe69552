package io.sluice.cli.doctor;

import io.sluice.cli.connect.ListenProbe;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether the ports are free, or held by whom they are for.
 *
 * @param nodePid the node that runs on the data directory, if one does
 */
record PortCheck(SystemFiles files, String host, int port, int adminPort, OptionalLong nodePid) {
    static final String ADMIN_HOST = "127.0.0.1";

    List<Finding> run() {
        return List.of(
                check("port", host, port, "--port"),
                port == adminPort && port != 0
                        ? Finding.problem(
                                "admin port",
                                port + " is the port for clients, too",
                                "Choose another with --admin-port N.")
                        : check("admin port", ADMIN_HOST, adminPort, "--admin-port"));
    }

    private Finding check(String name, String checkedHost, int checkedPort, String option) {
        if (checkedPort == 0) {
            return Finding.ok(name, "the system chooses one that is free");
        }
        String address = checkedHost + ":" + checkedPort;
        String refusal = ListenProbe.refusal(checkedHost, checkedPort);
        if (refusal == null) {
            return nodePid.isEmpty()
                    ? Finding.ok(name, address + " is free")
                    : Finding.warning(
                            name,
                            address + " is free, so this data directory's node, process " + nodePid.getAsLong()
                                    + ", does not listen there",
                            "Its log, or the line it began with, tells where it listens; name that with --host, --port and"
                                    + " --admin-port.");
        }
        String found = address + " cannot be had (" + refusal + ")";
        String advice = "Stop what uses it ('ss -ltnp' tells), or choose another with " + option + " N.";
        if (nodePid.isEmpty()) {
            return Finding.problem(name, found, advice);
        }
        long pid = nodePid.getAsLong();
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
