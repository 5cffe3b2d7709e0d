"""Asks other tools how long a step takes: python peers.py QUESTIONS > ANSWERS, in an environment with
`pip install llm-analysis==0.2.2 ftuneai==0.4.1`. QUESTIONS is what `npm run speed -- --questions FILE` writes. Each tool gets the
sizes of the model and of a step as Headroom read them, and its own defaults for everything else; a run that it cannot describe
is left out."""
import contextlib, io, json, logging, math, sys

HALF_OF_PEAK = 0.5  # llm-analysis wants an efficiency, and says that Megatron-LM reaches about this
MANY_STEPS = 100_000  # ftuneai rounds to hundredths of an hour


def llm_analysis(run):
    from llm_analysis.analysis import ActivationRecomputation, DSZeRO, LLMAnalysis
    from llm_analysis.config import ModelConfig, ParallelismConfig, get_dtype_config_by_name, get_gpu_config_by_name

    gpu = LLM_ANALYSIS_GPUS.get(run["gpu"])
    if gpu is None or run["tokens"] > (run["positions"] or run["tokens"]):
        return None
    experts = run["experts"] > 1
    model = ModelConfig(
        name="run", num_layers=run["layers"], n_head=run["heads"], hidden_dim=run["hidden"],
        vocab_size=run["vocabulary"], max_seq_len=run["positions"] or run["tokens"],
        num_key_value_heads=run["kvHeads"], ffn_embed_dim=run["inner"], expansion_ratio=run["inner"] / run["hidden"],
        moe_num_experts=run["experts"] if experts else 1, moe_top_k=run["expertsPerToken"] if experts else 1,
    )
    parallel = run["tensor"] * run["stages"]
    analysis = LLMAnalysis(
        model, get_gpu_config_by_name(gpu), get_dtype_config_by_name("w16a16e16"),
        ParallelismConfig(tp_size=run["tensor"], pp_size=run["stages"], dp_size=max(1, run["gpus"] // parallel)),
        flops_efficiency=HALF_OF_PEAK,
    )
    stage = DSZeRO.NONE if run["shardRanks"] == 1 else DSZeRO.STAGE_3 if run["gathers"] else DSZeRO.STAGE_1
    answer = analysis.training(
        batch_size_per_gpu=run["rows"], gradient_accumulation_steps=run["passes"], seq_len=run["tokens"],
        total_num_tokens=run["tokens"] * run["rows"], ds_zero=stage, mlp_gated_linear_units=run["gated"],
        activation_recomputation=ActivationRecomputation.FULL if run["checkpoints"] else ActivationRecomputation.NONE,
    )
    return answer["latency_per_iter"]


LLM_ANALYSIS_GPUS = {
    "NVIDIA A100-SXM4-80GB": "a100-sxm-80gb",
    "NVIDIA A100-SXM4-40GB": "a100-sxm-40gb",
    "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
    "NVIDIA A100-PCIE-40GB": "a100-pcie-40gb",
    "NVIDIA H100 80GB HBM3": "h100-sxm-80gb",
    "NVIDIA H100 PCIe": "h100-pcie-80gb",
    "NVIDIA A10G": "a10g-pcie-24gb",
    "NVIDIA RTX A6000": "a6000-48gb",
    "Tesla V100-SXM2-16GB": "v100-sxm-16gb",
    "Tesla V100-SXM2-32GB": "v100-sxm-32gb",
}


def ftuneai(run):
    from ftuneai.core.models import FineTuneMethod, ModelSpec, ShardingStrategy, TrainingConfig
    from ftuneai.core.time import TimeEstimator
    from ftuneai.loader import get_gpu

    gpu = FTUNEAI_GPUS.get(run["gpu"])
    method = run["method"] if run["method"] in ("full", "lora", "qlora") else None
    # It splits rows over GPUs, and nothing else.
    if gpu is None or method is None or not run["parameters"] or run["tensor"] * run["stages"] > 1:
        return None
    experts = run["experts"] > 1
    model = ModelSpec(
        name="run", parameters=run["parameters"], hidden_size=run["hidden"], num_layers=run["layers"],
        num_attention_heads=run["heads"], num_kv_heads=run["kvHeads"], intermediate_size=run["inner"],
        vocab_size=run["vocabulary"], max_seq_length=run["positions"] or run["tokens"], is_moe=experts,
        num_experts=run["experts"] if experts else None, num_active_experts=run["expertsPerToken"] if experts else None,
    )
    sharding = ShardingStrategy.NONE if run["shardRanks"] == 1 else (
        ShardingStrategy.ZERO_3 if run["gathers"] else ShardingStrategy.ZERO_1)
    config = TrainingConfig(
        method=FineTuneMethod(method), batch_size=run["rows"], seq_length=run["tokens"],
        gradient_checkpointing=run["checkpoints"], sharding=sharding, num_gpus=run["gpus"],
    )
    rows = run["rows"] * run["passes"] * run["gpus"]
    answer = TimeEstimator(model, config).estimate(
        get_gpu(gpu), dataset_size=rows * MANY_STEPS, epochs=1, num_gpus=run["gpus"],
        gradient_accumulation_steps=run["passes"],
    )
    return answer.total_hours * 3600 / MANY_STEPS


FTUNEAI_GPUS = {
    "NVIDIA A100-SXM4-80GB": "A100-80GB",
    "NVIDIA A100 80GB PCIe": "A100-80GB",
    "NVIDIA A100-SXM4-40GB": "A100-40GB",
    "NVIDIA A100-PCIE-40GB": "A100-40GB",
    "NVIDIA H100 80GB HBM3": "H100-80GB",
    "NVIDIA H100 PCIe": "H100-80GB",
    "NVIDIA H200": "H200-141GB",
    "NVIDIA L4": "L4-24GB",
    "Tesla T4": "T4-16GB",
    "NVIDIA A10G": "A10G-24GB",
    "NVIDIA GeForce RTX 4090": "RTX-4090-24GB",
    "NVIDIA GeForce RTX 3090": "RTX-3090-24GB",
    "Tesla V100-SXM2-16GB": "V100-16GB",
    "Tesla V100-SXM2-32GB": "V100-32GB",
}


def main(path):
    logging.disable(logging.CRITICAL)
    for line in open(path, encoding="utf8"):
        run = json.loads(line)
        for peer in (llm_analysis, ftuneai):
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    seconds = peer(run)
            except (AssertionError, ValueError, KeyError, ZeroDivisionError) as error:
                print(f"{run['id']} {peer.__name__}: {error}", file=sys.stderr)
                continue
            if seconds and math.isfinite(seconds):
                print(json.dumps({"id": run["id"], "peer": peer.__name__.replace("_", "-"), "seconds": seconds}))


main(sys.argv[1])
