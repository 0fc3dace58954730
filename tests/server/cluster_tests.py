"""Six nodes of a cluster on loopback: slots move while filters are asked and grow. Each function is a promise; it gets
the path of a server and that of the module."""
import inspect
import os
import random
import threading

from crc16 import slot_of
from resp import Client, ReplyError, encoded
from servers import PATIENCE, Server, free_port
from system_tests import digests, wait_for

SOAK = bool(os.environ.get("BLOOMERY_SOAK"))
QUESTIONS = 10**8 if SOAK else 10**6
SLOTS = 16384
BATCH = 500
MOST_BATCHES = 2000  # of one client: as many items as keep a filter that moves small enough to move often


NODE_TIMEOUT = 1000 * PATIENCE  # milliseconds: a node that got no CPU for a while is not dead, nor is a handshake with it


def set_slot(client, slot, *words):
    """Valkey refuses (NOREPLICAS) while a replica is busy with a large filter that has just come."""
    wait_for(lambda: client("CLUSTER", "SETSLOT", slot, *words) == "OK")


class Cluster:
    """Three primaries with a replica each. Node i owns a third of the slots; node i + 3 is its replica."""

    def __init__(self, binary, module):
        self.nodes = []
        try:
            for _ in range(6):
                self.nodes.append(self.node(binary, module))
            self.join()
        except BaseException:
            self.remove()
            raise

    @staticmethod
    def node(binary, module, tries=5):
        bus = free_port()
        try:
            node = Server(binary, module, "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", NODE_TIMEOUT,
                          "--repl-diskless-sync-delay", "0", port=free_port())
        except RuntimeError:  # the port of the bus may have been taken meanwhile
            if tries == 1:
                raise
            return Cluster.node(binary, module, tries - 1)
        node.bus = bus
        return node

    def join(self):
        for i, node in enumerate(self.nodes):
            client = node.client()
            assert client("CLUSTER", "SET-CONFIG-EPOCH", i + 1) == "OK"
            if i < 3:
                client("CLUSTER", "ADDSLOTSRANGE", SLOTS * i // 3, SLOTS * (i + 1) // 3 - 1)
        self.ids = [node.client()("CLUSTER", "MYID").decode() for node in self.nodes]
        wait_for(self.all_have_met)
        for i in range(3, 6):
            wait_for(lambda: self.nodes[i].client()("CLUSTER", "REPLICATE", self.ids[i - 3]) == "OK")
        wait_for(lambda: all(b"cluster_state:ok" in node.client()("CLUSTER", "INFO") for node in self.nodes))
        wait_for(self.all_agree)

    @staticmethod
    def view(node):
        """What a node knows of the nodes, itself included: (epoch, slots) by their ids. Slots are numbers and ranges, as it writes
        them, without those that are moving."""
        lines = [line.split() for line in node.client()("CLUSTER", "NODES").decode().splitlines()]
        return {words[0]: (int(words[6]), [word for word in words[8:] if not word.startswith("[")]) for words in lines}

    def all_have_met(self):
        """Whether each knows all. Those that do not know the first node are told of it, again and again: a handshake that was not
        answered in time is given up."""
        views = [self.view(node) for node in self.nodes]
        for node, view in zip(self.nodes[1:], views[1:]):
            if self.ids[0] not in view:
                node.client()("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port, self.nodes[0].bus)
        return all(set(view) == set(self.ids) for view in views)

    def all_agree(self):
        """Whether all six nodes know the same owners of slots at the same epochs, and no two primaries are of one epoch. A node that
        has not heard of the last move yet would tell others of an owner of before, at an epoch that may be above that of the next
        owner: it would give up the slot, with its keys."""
        views = [self.view(node) for node in self.nodes]
        return all(view == views[0] for view in views) and len({views[0][of][0] for of in self.ids[:3]}) == 3

    def owner(self, slot):
        """The primary that has the slot, as the primaries say."""
        for i in range(3):
            for first, last, (_, port, *_), *_ in self.nodes[i].client()("CLUSTER", "SLOTS"):
                if first <= slot <= last and port == self.nodes[i].port:
                    return i
        raise AssertionError(f"nobody has slot {slot}")

    def move(self, slot, source, target):
        """As redis-cli --cluster reshard does: key by key, then the slot, of which all primaries are told, its new owner first. Returns
        when every node knows it."""
        here, there, other = (self.nodes[i].client() for i in (source, target, 3 - source - target))
        set_slot(there, slot, "IMPORTING", self.ids[source])
        set_slot(here, slot, "MIGRATING", self.ids[target])
        while keys := here("CLUSTER", "GETKEYSINSLOT", slot, 10):
            for key in keys:
                got = here("MIGRATE", "127.0.0.1", self.nodes[target].port, key, 0, 60000)
                assert got == "OK", got
        for client in (there, here, other):
            set_slot(client, slot, "NODE", self.ids[target])
        wait_for(self.all_agree)
        assert self.owner(slot) == target
        for client in (here, there, other):
            client.close()

    def remove(self):
        for node in self.nodes:
            node.remove()


class Routed:
    """A client that goes where the cluster sends it."""

    def __init__(self, cluster):
        self.clients = {node.port: Client(node.port) for node in cluster.nodes}
        self.places = {}
        self.any = cluster.nodes[0].port

    def __call__(self, key, *words):
        return self.route(key, lambda client: client(*words))

    def answers(self, key, command, count):
        """As Client.answers."""
        return self.route(key, lambda client: client.answers(command, count))

    def route(self, key, ask):
        """What ask(client) returns at the node that has the key."""
        slot = slot_of(key)
        port, asking = self.places.get(slot, self.any), False
        for _ in range(100):
            client = self.clients[port]
            if asking:
                client("ASKING")
            got = ask(client)
            if not isinstance(got, ReplyError):
                return got
            kind, _, address = (str(got).split(" ") + ["", ""])[:3]
            if kind not in ("MOVED", "ASK"):
                raise AssertionError(got)
            port, asking = int(address.rsplit(":", 1)[1]), kind == "ASK"
            if kind == "MOVED":
                self.places[slot] = port
        raise AssertionError(f"sent from node to node: {got}")

    def close(self):
        for client in self.clients.values():
            client.close()


def ask_and_add(cluster, keys, questions, seed, wrong, enough):
    """Asks for what was added, adds more, and counts what was denied: so many questions, and until `enough` is set.
    A question is kept as it is sent, with its number."""
    source, routed = random.Random(seed), Routed(cluster)
    batches = {key: [] for key in keys}
    asked, number = 0, 0
    while asked < questions or not enough.is_set():
        key = source.choice(keys)
        if not batches[key] or source.random() < (0.05 if number < MOST_BATCHES else 0):
            batch = [f"{seed}:{key}:{number}:{i}" for i in range(BATCH)]
            answers = routed(key, "BF.MADD" if key.startswith("b") else "CF.INSERT", key, *(["ITEMS"] if key.startswith("c") else []), *batch)
            assert len(answers) == len(batch) and not isinstance(answers[-1], ReplyError), answers[-1]
            batches[key].append((number, encoded("BF.MEXISTS" if key.startswith("b") else "CF.MEXISTS", key, *batch)))
            number += 1
            continue
        batch, question = source.choice(batches[key])
        answers = routed.answers(key, question, BATCH)
        assert len(answers) == BATCH, answers
        wrong.extend(f"{seed}:{key}:{batch}:{i}" for i, answer in enumerate(answers) if answer != 1)
        asked += BATCH
    routed.close()


def move_slots(cluster, keys, enough, asked):
    """One after the other, as long as keys are asked for; after five it is enough."""
    source, moves = random.Random(3), 0
    while asked():
        slot = slot_of(source.choice(keys))
        owner = cluster.owner(slot)
        cluster.move(slot, owner, (owner + source.randrange(1, 3)) % 3)
        moves += 1
        if moves == 5:
            enough.set()


def no_wrong_no_while_slots_move(binary, module):
    cluster = Cluster(binary, module)
    try:
        keys = [f"b{i}" for i in range(12)] + [f"c{i}" for i in range(4)]
        setup = Routed(cluster)
        for key in keys:
            if key.startswith("c"):
                assert setup(key, "CF.RESERVE", key, "2000", "EXPANSION", "2") == "OK"
        wrong, failures, enough = [], [], threading.Event()

        def load(seed):
            try:
                ask_and_add(cluster, keys, QUESTIONS // 2, seed, wrong, enough)
            except BaseException as error:  # told below
                failures.append(error)

        threads = [threading.Thread(target=load, args=(seed,)) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        try:
            move_slots(cluster, keys, enough, lambda: any(thread.is_alive() for thread in threads))
        finally:
            enough.set()
            for thread in threads:
                thread.join()
        assert not failures, failures[0]
        assert not wrong, f"{len(wrong)} of {QUESTIONS} were denied, as {wrong[0]}"
        # Replicas have what their primaries have.
        for i in range(3):
            primary, replica = cluster.nodes[i].client(), cluster.nodes[i + 3].client()
            replica("READONLY")
            held = sorted(primary("KEYS", "*"))
            wait_for(lambda: sorted(replica("KEYS", "*")) == held and digests(replica, held) == digests(primary, held) if held else True)
    finally:
        cluster.remove()


def a_slot_with_a_filter_at_the_limit_moves(binary, module):
    cluster = Cluster(binary, module)
    try:
        routed = Routed(cluster)
        assert routed("large", "BF.RESERVE", "large", "0.01", "100000000", "NONSCALING") == "OK"
        assert routed("large", "MEMORY", "USAGE", "large") > 110 << 20
        items = [f"i{i}" for i in range(1000)]
        routed("large", "BF.MADD", "large", *items)
        slot = slot_of("large")
        owner = cluster.owner(slot)
        cluster.move(slot, owner, (owner + 1) % 3)
        assert cluster.owner(slot) == (owner + 1) % 3 and all(routed("large", "BF.MEXISTS", "large", *items))
    finally:
        cluster.remove()


TESTS = [value for value in list(globals().values()) if inspect.isfunction(value) and value.__module__ == __name__
         and str(inspect.signature(value)) == "(binary, module)"]
