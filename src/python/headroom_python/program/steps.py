"""When the program loads, goes forward and backward and steps, seen from torch's own functions."""

import contextlib
import gc
import sys
import weakref

import torch

# Optimizers that step on and on while another never does: the other one is not waited for.
PATIENCE = 8
# Micro-batches of an accumulated step after which nothing new happens.
MICRO_BATCHES = 3
# Backward passes of a program without any optimizer after which it is taken to change its parameters by itself.
BY_HAND = 16


class Steps:
    """Calls `done` after `wanted` optimizer steps."""

    def __init__(self, ledger, wanted, done, repeats):
        self.ledger, self.wanted, self.done, self.repeats = ledger, wanted, done, repeats
        self.counts = {}  # optimizer -> steps
        self.known = weakref.WeakSet()  # optimizers: those that a program has thrown away never step
        self.inside, self.backwards, self.since_step = 0, 0, 0

    @property
    def finished(self):
        return max(self.counts.values(), default=0)

    def which(self):
        return "steady" if self.counts else "first"

    def install(self):
        self.ledger.enter("load", "temporaries")
        self._call = torch.nn.Module.__call__
        self._wait_for_forward()
        self._watch_backward()
        self._watch_optimizers()

    def _wait_for_forward(self):
        """The next call of a module that trains begins a forward pass."""
        really, steps = self._call, self

        def called(module, *args, **kwargs):
            if module.training and torch.is_grad_enabled() and any(p.requires_grad for p in module.parameters()):
                torch.nn.Module.__call__ = really
                if steps.ledger.phase == "load":
                    gc.collect()
                    gc.freeze()
                    for tensor in (*module.parameters(), *module.buffers()):
                        kind = "weights" if isinstance(tensor, torch.nn.Parameter) else "buffers"
                        steps.ledger.rename(tensor, kind)
                steps.ledger.enter(f"forward {steps.which()}", "activations")
                return really(module, *args, **kwargs)
            return steps.repeats.call(really, module, args, kwargs)

        torch.nn.Module.__call__ = called

    def begins(self):
        """A compiled function is called: dynamo must not see what is put around modules."""
        if torch.nn.Module.__call__ is not self._call and torch.is_grad_enabled() and self.known:
            torch.nn.Module.__call__ = self._call
            self.ledger.enter(f"forward {self.which()}", "activations")

    @contextlib.contextmanager
    def plain(self):
        """A compiled module keeps the call that it finds."""
        found, torch.nn.Module.__call__ = torch.nn.Module.__call__, self._call
        try:
            yield
        finally:
            torch.nn.Module.__call__ = found

    def _watch_backward(self):
        backward, steps = torch.autograd.backward, self

        def watched(*args, **kwargs):
            steps.inside += 1
            steps.ledger.enter(f"backward {steps.which()}", "temporaries")
            try:
                return backward(*args, **kwargs)
            finally:
                steps.inside -= 1
                steps.backwards += 1
                steps.since_step += 1
                steps.ledger.enter(f"optimizer {steps.which()}", "temporaries")
                steps._wait_for_forward()
                steps._maybe_done()

        torch.autograd.backward = watched

    def _watch_optimizers(self):
        module = sys.modules["torch.optim.optimizer"]
        ledger, add = self.ledger, torch.optim.Optimizer.add_param_group

        def added(optimizer, group):
            out = add(optimizer, group)
            self.known.add(optimizer)
            for parameter in optimizer.param_groups[-1]["params"]:
                ledger.rename(parameter, "weights")
                if parameter.requires_grad and parameter.is_leaf and not getattr(parameter, "_headroom_hooked", False):
                    parameter._headroom_hooked = True
                    parameter.register_post_accumulate_grad_hook(_gradient(ledger))
            return out

        torch.optim.Optimizer.add_param_group = added
        module.register_optimizer_step_pre_hook(self._before)
        module.register_optimizer_step_post_hook(self._after)

    def _before(self, optimizer, *_):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self.ledger.rename(parameter, "weights")
                if parameter.grad is not None:
                    self.ledger.rename(parameter.grad, "gradients")
        if not self.inside:
            self.ledger.enter(f"optimizer {self.which()}", "temporaries")

    def _after(self, optimizer, *_):
        for state in optimizer.state.values():
            for value in state.values() if isinstance(state, dict) else ():
                if isinstance(value, torch.Tensor):
                    self.ledger.rename(value, "optimizer states")
        self.counts[id(optimizer)] = self.counts.get(id(optimizer), 0) + 1
        self.since_step = 0
        if not self.inside:
            self._wait_for_forward()
            self._maybe_done()

    def _maybe_done(self):
        if not self.counts:
            if self.known or self.backwards < BY_HAND:
                return
            self.repeats.notes.add("the program's own arithmetic for an optimizer of torch, of which it has none")
            self.counts["by hand"] = self.backwards
        least, most = min(self.counts.values()), max(self.counts.values())
        everyone = all(id(one) in self.counts for one in self.known) or most >= PATIENCE * self.wanted
        if least >= self.wanted and everyone:
            self.done()
        elif least >= 1 and self.wanted > 1 and self.since_step >= MICRO_BATCHES and everyone:
            phases = self.ledger.peaks  # a step of many micro-batches: the next ones are alike
            if "optimizer first" in phases and "backward steady" in phases:
                self.done()


def _gradient(ledger):
    def hook(parameter):
        if parameter.grad is not None:
            ledger.rename(parameter.grad, "gradients")

    return hook
