/** A notebook with these code cells, each as a list of lines unless `asText`. */
export function notebookOf(cells: readonly string[], asText = false): string {
  const lines = (code: string) => code.split(/(?<=\n)/);
  const content = {
    cells: [
      { cell_type: 'markdown', metadata: {}, source: ['# SFTTrainer(args)\n'] },
      ...cells.map(code => ({
        cell_type: 'code',
        execution_count: 1,
        metadata: {},
        outputs: [{ output_type: 'stream', name: 'stdout', text: ['SFTTrainer(model="x")\n'] }],
        source: asText ? code : lines(code),
      })),
    ],
    metadata: { kernelspec: { name: 'python3' } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(content, null, 1)}\n`;
}

/** A small script that trains with TRL. */
export const SFT = `import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

MODEL = "Qwen/Qwen2.5-7B-Instruct"
BATCH = 4

bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained(MODEL, quantization_config=bnb, dtype=torch.bfloat16)
peft_config = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=BATCH,
    gradient_accumulation_steps=16 // BATCH,  # keeps 16
    max_length=2048,
    bf16=True,  # of the card
)
trainer = SFTTrainer(model=model, args=args, train_dataset=data, peft_config=peft_config)
trainer.train()
`;
