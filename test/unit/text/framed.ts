export const RECORDINGS = 'test/fixtures/telemetry/recordings';

export const OOM = `Traceback (most recent call last):
  File "/work/train.py", line 12, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 22.40 GiB memory in use. Of the allocated memory 20.10 GiB is allocated by PyTorch, and 1.80 GiB is reserved by PyTorch but unallocated.
`;
export const PROGRESS = `  3%|▎         | 30/1000 [00:12<06:44,  2.40it/s]
{'loss': 1.2345, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'epoch': 0.03}
`;
