import { type Attack, python } from "./attack.ts";

/** Against the network and the sockets of services. */
export const NETWORK: readonly Attack[] = [
  { name: "connect by TCP", command: (at) => `echo hi > /dev/tcp/127.0.0.1/${at.tcpPort} && echo BREACH` },
  {
    name: "send by UDP",
    command: (at) => `echo hi > /dev/udp/127.0.0.1/${at.udpPort} && echo BREACH`,
    harmlessInside: true,
  },
  {
    name: "listen",
    command: () => python(`s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print("BREACH")`),
    harmlessInside: true,
  },
  {
    name: "connect to a unix socket",
    command: (at) =>
      python(`s = socket.socket(socket.AF_UNIX); s.connect("${at.unixSocket}"); print("BREACH")`),
  },
  {
    name: "connect to an abstract socket",
    command: (at) =>
      python(`s = socket.socket(socket.AF_UNIX); s.connect("\\0${at.abstractSocket}"); print("BREACH")`),
  },
  {
    name: "make a pair of datagram sockets",
    command: () => python(`socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print("BREACH")`),
  },
  {
    name: "make one by its other name",
    command: () => python(`socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW); print("BREACH")`),
  },
  {
    name: "ask the kernel for interfaces",
    command: () => python(`socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); print("BREACH")`),
    harmlessInside: true,
  },
  {
    name: "connect by IPv6",
    command: (at) => python(`socket.create_connection(("::1", ${at.tcp6Port}), 2); print("BREACH")`),
  },
  {
    name: "fetch by curl",
    command: (at) =>
      `curl -s -m 2 http://127.0.0.1:${at.tcpPort}/ -o /dev/null; [ $? != 7 ] && [ $? != 2 ] && curl -s -m 2 telnet://127.0.0.1:${at.tcpPort} < /dev/null && echo BREACH`,
    control: "depends on the kernel",
  },
  {
    name: "send a datagram to the machine's own address",
    command: () =>
      python(`
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("192.0.2.1", 9)); s.send(b"x"); print("BREACH")`),
    control: "depends on the kernel",
  },
  {
    name: "open a raw socket",
    command: () => python(`socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print("BREACH")`),
    control: "root only",
  },
  {
    name: "open a ping socket",
    command: () => python(`socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1); print("BREACH")`),
    control: "depends on the kernel",
    harmlessInside: true,
  },
  {
    name: "open a packet socket",
    command: () => python(`socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3); print("BREACH")`),
    control: "root only",
  },
  {
    name: "open a socket to the hypervisor",
    command: () => python(`socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); print("BREACH")`),
    control: "depends on the kernel",
  },
  {
    name: "open a socket to the kernel's ciphers",
    command: () => python(`socket.socket(38, socket.SOCK_SEQPACKET); print("BREACH")`),
    control: "depends on the kernel",
  },
  {
    name: "open a bluetooth socket",
    command: () => python(`socket.socket(31, socket.SOCK_RAW, 1); print("BREACH")`),
    control: "depends on the kernel",
  },
  {
    name: "send to a unix socket from a pair",
    command: (at) =>
      python(`
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
a2 = socket.socket(fileno=os.dup(a.fileno())); a2.connect("${at.unixSocket}"); print("BREACH")`),
    control: "depends on the kernel",
  },
  {
    name: "bind a unix socket",
    command: () => python(`socket.socket(socket.AF_UNIX).bind("sock"); print("BREACH")`),
  },
  {
    name: "ask the container engine",
    command: () => `curl -s -m 2 --unix-socket /var/run/docker.sock http://x/info && echo BREACH`,
    control: "depends on the kernel",
  },
  {
    name: "ask for a name",
    command: () => `timeout 3 getent ahosts example.com && echo BREACH`,
    control: "depends on the kernel",
  },
];
