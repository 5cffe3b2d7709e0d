// What llama-fit-params prints, in bytes: buffers for weights, context and compute of each device and of the host. One
// line of flags on standard input, one line of numbers on standard output. Nothing is allocated, and no weight is read.
#include "ggml-backend.h"
#include "ggml-rpc.h"
#include "llama-ext.h"
#include "llama.h"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

static ggml_type type_of(const std::string & name) {
    for (int i = 0; i < GGML_TYPE_COUNT; i++) {
        const char * known = ggml_type_name((ggml_type) i);
        if (known && name == known) return (ggml_type) i;
    }
    return GGML_TYPE_F16;
}

static void fit(const std::string & path, const std::string & line) {
    auto mparams = llama_model_default_params();
    auto cparams = llama_context_default_params();
    mparams.no_alloc = true;
    mparams.load_mode = LLAMA_LOAD_MODE_NONE;
    cparams.n_batch = 2048;
    cparams.n_ubatch = 512;
    cparams.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_AUTO;
    cparams.swa_full = false;
    int experts = 0;
    std::istringstream words(line);
    for (std::string flag, value; words >> flag;) {
        if (flag == "-kvu") cparams.kv_unified = true;
        else if (flag == "-nkvo") cparams.offload_kqv = false;
        else if (flag == "--swa-full") cparams.swa_full = true;
        else {
            words >> value;
            if (flag == "-c") cparams.n_ctx = std::stoi(value);
            if (flag == "-ngl") mparams.n_gpu_layers = std::stoi(value);
            if (flag == "-b") cparams.n_batch = std::stoi(value);
            if (flag == "-ub") cparams.n_ubatch = std::stoi(value);
            if (flag == "-np") cparams.n_seq_max = std::stoi(value);
            if (flag == "-ctk") cparams.type_k = type_of(value);
            if (flag == "-ctv") cparams.type_v = type_of(value);
            if (flag == "-ncmoe") experts = std::stoi(value);
            if (flag == "-fa") cparams.flash_attn_type =
                value == "on" ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
        }
    }
    std::vector<std::string> patterns;
    for (int i = 0; i < experts; i++) {
        patterns.push_back("blk\\." + std::to_string(i) + "\\.ffn_(up|down|gate|gate_up)_(ch|)exps");
    }
    std::vector<llama_model_tensor_buft_override> overrides;
    for (auto & pattern : patterns) overrides.push_back({ pattern.c_str(), ggml_backend_cpu_buffer_type() });
    overrides.push_back({ nullptr, nullptr });
    if (experts > 0) mparams.tensor_buft_overrides = overrides.data();
    llama_model * model = llama_model_load_from_file(path.c_str(), mparams);
    llama_context * ctx = model ? llama_init_from_model(model, cparams) : nullptr;
    if (!ctx) {
        printf("failed\n");
    } else {
        size_t device[3] = { 0, 0, 0 }, host[3] = { 0, 0, 0 };
        for (const auto & [buft, mb] : llama_get_memory_breakdown(ctx)) {
            size_t * to = ggml_backend_buft_is_host(buft) ? host : device;
            to[0] += mb.model;
            to[1] += mb.context;
            to[2] += mb.compute;
        }
        printf("%zu %zu %zu %zu %zu %zu\n", device[0], device[1], device[2], host[0], host[1], host[2]);
    }
    fflush(stdout);
    if (ctx) llama_free(ctx);
    if (model) llama_model_free(model);
}

// argv: the endpoint of an RPC server, which stands in for a GPU, and a GGUF file
int main(int argc, char ** argv) {
    if (argc != 3) return 1;
    llama_log_set([](ggml_log_level level, const char * text, void *) {
        if (level == GGML_LOG_LEVEL_ERROR || getenv("FIT_VERBOSE")) fputs(text, stderr);
    }, nullptr);
    llama_backend_init();
    ggml_backend_register(ggml_backend_rpc_add_server(argv[1]));
    for (std::string line; std::getline(std::cin, line);) fit(argv[2], line);
    return 0;
}
