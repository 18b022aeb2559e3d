package dev.baton.runtime.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/** A process that lives until it is ended: holds its port, and with "--set stubborn=yes" it does not end when asked. */
public final class FakeNode {
    private FakeNode() {}

    public static void main(String[] args) throws IOException {
        List<String> arguments = List.of(args);
        System.out.println("node " + String.join(" ", arguments));
        if (arguments.contains("fail=yes")) {
            System.out.println("this node fails on purpose");
            System.exit(1);
        }
        int port = Integer.parseInt(arguments.get(arguments.indexOf("--artery-port") + 1));
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            while (true) {
                try (Socket accepted = socket.accept();
                        InputStream in = accepted.getInputStream()) {
                    in.transferTo(System.out);
                }
            }
        }
    }
}
