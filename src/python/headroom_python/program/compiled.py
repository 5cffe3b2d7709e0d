"""torch.compile without a compiler. Dynamo's own graphs, AOTAutograd, the min-cut partitioner and Inductor's decompositions decide what is
kept for backward. Of a graph's results only those count that Inductor would write to memory: of kernels that are no fusion (matrix
products, attention, convolutions), what these read, reductions, and what leaves the graph. The rest lives in registers."""

import functools

import torch
import torch.fx
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from . import subclasses

VIEWS = frozenset(
    "view _unsafe_view reshape permute transpose t expand slice select unsqueeze squeeze split split_with_sizes as_strided alias detach unbind"
    " getitem view_as_real view_as_complex diagonal unfold lift_fresh".split()
)
REDUCTIONS = frozenset("sum mean amax amin prod var var_mean any all argmax argmin logsumexp".split())
# Inductor's loops beyond pointwise operations.
LOOPS = frozenset(
    "_softmax _log_softmax cat index embedding gather full full_like iota arange empty zeros ones zeros_like ones_like clone _to_copy"
    " convert_element_type constant_pad_nd slice_scatter select_scatter repeat where copy flip roll cumsum scalar_tensor empty_like new_zeros"
    " native_layer_norm inductor_random inductor_seeds inductor_lookup_seed rand_like bernoulli rand randn masked_fill scatter".split()
)
PARTLY = "torch.compile: fused chains counted as Inductor writes them"
UNCOMPILED = "torch.compile is left out of a part that cannot be traced, so its chains count in full"
GRAPHS = "CUDA graphs: their pools are not counted"
# Dynamo gives a function up after this many graphs by itself; before that, tracing would take the time.
MOST_GRAPHS = 200


def install(gate, notes, steps):
    real, real_module = torch.compile, torch.nn.Module.compile
    backend = Backend(gate, notes)

    def like(kwargs):
        torch._dynamo.config.suppress_errors = True
        notes.add(PARTLY)
        if kwargs.get("mode") in ("reduce-overhead", "max-autotune"):
            notes.add(GRAPHS)
        return {"backend": backend, **{key: kwargs[key] for key in ("fullgraph", "dynamic") if key in kwargs}}

    def compiled(model=None, **kwargs):
        if model is None:
            return lambda function: compiled(function, **kwargs)
        if getattr(model, "_headroom_stand_in", False) or isinstance(getattr(model, "__self__", None), torch.optim.Optimizer):
            return model
        with steps.plain():
            made = real(model, **like(kwargs))
        if isinstance(made, torch.nn.Module) or isinstance(model, type):
            return made

        @functools.wraps(model)
        def called(*args, **more):
            steps.begins()
            return made(*args, **more)

        return called

    def compile_module(module, *_, **kwargs):
        real_module(module, **like(kwargs))

    torch.compile, torch.nn.Module.compile = compiled, compile_module


class Backend:
    """What dynamo calls with each of its graphs."""

    def __init__(self, gate, notes):
        self.gate, self.notes, self.trace, self.graphs = gate, notes, None, 0

    def __call__(self, graph, _inputs, **_options):
        self.graphs += 1
        if self.graphs > MOST_GRAPHS:
            self.notes.add(UNCOMPILED)
            return graph.forward
        return Graph(self, graph.forward)

    def traced(self, function):
        if self.trace is None:
            self.trace = _tracer(self.gate)
        return self.trace(function)


class Graph:
    """One graph of dynamo's. It is traced at its first call, when dynamo and its own fake mode are out of the way."""

    def __init__(self, backend, function):
        self.backend, self.function, self.made = backend, function, {}

    def __call__(self, *args):
        args = [part for x in args for part in subclasses.apart(x)]
        where = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor)]
        tensors = [args[i] for i in where]
        if any(not isinstance(x, FakeTensor) for x in tensors):  # sharded tensors, and what lies on the CPU
            return self.function(*subclasses.together(args))
        key = (
            tuple((x.shape, x.stride(), x.dtype, x.requires_grad) for x in tensors),
            str([x for x in args if not isinstance(x, torch.Tensor)]),
            torch.is_grad_enabled(),
            torch.is_autocast_enabled("cuda"),
        )
        if key not in self.made:
            self.made[key] = self._traced(args, where)
        made = self.made[key]
        return self.function(*subclasses.together(args)) if made is None else made(*tensors)

    def _traced(self, args, where):
        backend, constants, tensors = self.backend, list(args), [args[i] for i in where]
        for i in where:
            constants[i] = None

        def flat(*tensors):
            leaves = list(constants)
            for i, x in zip(where, tensors):
                leaves[i] = x
            return self.function(*subclasses.together(leaves))

        made, ledger = backend.traced(flat), backend.gate.ledger
        ledger.muted += 1
        try:  # The first call traces; its results are thrown away.
            with _disable_current_modes(), backend.gate.fake, torch.autograd.graph.saved_tensors_hooks(_same, _same):
                made(*[_blank(x) for x in tensors])
            return made
        except Exception:  # Tracing has many ways to fail, and eager code is an upper bound.
            backend.notes.add(UNCOMPILED)
            return None
        finally:
            ledger.muted -= 1


def _same(x):
    return x


def _blank(x):
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device).requires_grad_(x.requires_grad)


def _tracer(gate):
    from functorch.compile import aot_function, min_cut_rematerialization_partition
    from torch._inductor.decomposition import select_decomp_table

    table = select_decomp_table()

    def build(module, _inputs):
        kernels = Kernels(module, gate)

        def call(inputs):
            return kernels.run_with(inputs)

        call._boxed_call = True
        return call

    def partition(joint, inputs, **kwargs):
        return min_cut_rematerialization_partition(joint, inputs, **{**kwargs, "compiler": "inductor"})

    return lambda function: aot_function(function, fw_compiler=build, bw_compiler=build, partition_fn=partition, decompositions=table)


# ---- which results are written
def _name(node):
    target = node.target
    return target.__name__.split(".")[0] if hasattr(target, "__name__") else str(target)


def _is_view(node):
    return node.op == "call_function" and _name(node) in VIEWS


def _fuses(node):
    if node.op != "call_function":
        return False
    return torch.Tag.pointwise in getattr(node.target, "tags", ()) or _name(node) in LOOPS or _name(node) in REDUCTIONS or _is_view(node)


def written(graph):
    """Nodes whose results Inductor writes to memory."""

    def is_read_by_others(node):
        return any(user.op == "output" or not _fuses(user) or (_is_view(user) and is_read_by_others(user)) for user in node.users)

    def is_written(node):
        if node.op != "call_function" or _is_view(node):
            return False
        return not _fuses(node) or _name(node) in REDUCTIONS or is_read_by_others(node)

    return {node for node in graph.nodes if is_written(node)}


class Kernels(torch.fx.Interpreter):
    def __init__(self, module, gate):
        super().__init__(module)
        self.ledger, self.fake, self.written = gate.ledger, gate.fake, written(module.graph)

    def run_with(self, inputs):
        env = dict(zip((node for node in self.module.graph.nodes if node.op == "placeholder"), inputs))
        inputs.clear()
        for node in self.module.graph.nodes:
            if node.op == "output":
                return torch.fx.node.map_arg(node.args[0], env.__getitem__)
            if node.op == "get_attr":
                env[node] = self.fetch_attr(node.target)
            elif node.op != "placeholder":
                self._run(node, env)
            for dead in self.user_to_last_uses.get(node, ()):
                env.pop(dead, None)
            # A fused kernel may write over what it read last.
            if node in self.written and _fuses(node):
                self.ledger.saw(node.target, (), env.get(node))
        return None

    def _run(self, node, env):
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), env.__getitem__)
        self.ledger.muted += 1
        try:
            with self.fake:
                env[node] = node.target(*args, **kwargs)
        finally:
            self.ledger.muted -= 1
        if node in self.written and not _fuses(node):
            self.ledger.saw(node.target, args, env[node])
