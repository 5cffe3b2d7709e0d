import assert from 'node:assert/strict';
import { releaseOfImage } from '../../../src/core/dialects/command/pins';
import { scriptOf } from '../../../src/core/dialects/command/shell';
import { installedBy } from '../../../src/core/dialects/command/pins';
import { whole } from '../../../src/core/dialects/command/located';
import { releasesOfFile } from '../../../src/core/dialects/releases/files';

/** Image, and `library release`; null: its tag says none. */
const IMAGES: readonly (readonly [image: string, says: string | null])[] = [
  ['vllm/vllm-openai:v0.19.0', 'vllm 0.19.0'],
  ['docker.io/vllm/vllm-openai:v0.6.3.post1', 'vllm 0.6.3.post1'],
  ['vllm/vllm-openai:v0.24.0-cu129-ubuntu2404', 'vllm 0.24.0'],
  [
    'vllm/vllm-openai:v0.23.0@sha256:6d8429e38e3747723ca07ee1b17972e09bb9c51c4032b266f24fb1cc3b22ed8f',
    'vllm 0.23.0',
  ],
  ['localhost:5000/vllm/vllm-openai:v0.8.5', 'vllm 0.8.5'],
  ['vllm/vllm-openai:latest', null],
  ['vllm/vllm-openai', null],
  ['vllm/vllm-openai@sha256:1de8e6bfdb4c81c1f31a806cc9b13b5c6352714a7cec87f4d24964bcc91159b2', null],
  // NVIDIA counts years and months.
  ['nvcr.io/nvidia/vllm:25.09-py3', null],
  ['lmcache/vllm-openai:v0.3.9', null],
  ['nvcr.io/nvidia/pytorch:24.05-py3', null],
  ['nvcr.io/nvidia/tensorrt-llm/release:0.21.0', 'tensorrt-llm 0.21.0'],
  ['lmsysorg/sglang:v0.5.3', 'sglang 0.5.3'],
  ['lmsysorg/sglang:v0.4.6.post1-cu124', 'sglang 0.4.6.post1'],
  ['lmsysorg/sglang:latest', null],
  ['ghcr.io/huggingface/text-generation-inference:3.1.0', 'tgi 3.1.0'],
  ['ghcr.io/huggingface/text-generation-inference:1.0.2', 'tgi 1.0.2'],
  ['ghcr.io/huggingface/text-embeddings-inference:1.7', 'tei 1.7'],
  ['ghcr.io/huggingface/text-embeddings-inference:89-1.5', 'tei 1.5'],
  ['openmmlab/lmdeploy:v0.7.0', 'lmdeploy 0.7.0'],
  ['ollama/ollama:0.12.3', 'ollama 0.12.3'],
  ['pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel', 'torch 2.5.1'],
  ['vllm/vllm-openai:v0.8.5.post1', 'vllm 0.8.5.post1'],
  ['vllm/vllm-openai:v0.9.0.1', 'vllm 0.9.0.1'],
  ['vllm/vllm-openai:nightly', null],
  ['vllm/vllm-openai:cu130-nightly-x86_64', null],
  ['rocm/vllm:rocm6.3.1_instinct_vllm0.8.3_20250410', 'vllm 0.8.3'],
  ['rocm/vllm:rocm6.2_mi300_ubuntu20.04_py3.9_vllm_0.6.4', 'vllm 0.6.4'],
  ['rocm/vllm-dev:nightly_main_20250701', null],
  ['lmsysorg/sglang:v0.5.3-rocm630-mi30x', 'sglang 0.5.3'],
  ['lmsysorg/sglang:b200-cu129', null],
  ['ghcr.io/huggingface/text-generation-inference:3.3.4-rocm', 'tgi 3.3.4'],
  ['ghcr.io/huggingface/text-generation-inference:sha-11d7af7', null],
  ['ghcr.io/huggingface/text-embeddings-inference:hopper-1.8.1', 'tei 1.8.1'],
  ['ghcr.io/huggingface/text-embeddings-inference:turing-latest', null],
  ['openmmlab/lmdeploy:v0.9.2-cu12', 'lmdeploy 0.9.2'],
  ['openmmlab/lmdeploy:latest-cu12.8', null],
];

const lock = (name: string, version: string): string =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\n`;

/** File, its text, the library, and its release; null: it leaves more than one minor release. */
const FILES: readonly (readonly [name: string, text: string, library: string, release: string | null])[] = [
  ['requirements.txt', 'vllm==0.8.5\n', 'vllm', '0.8.5'],
  ['requirements.txt', 'vllm[audio]==0.10.2 ; python_version > "3.9"\n', 'vllm', '0.10.2'],
  ['requirements.txt', 'vllm~=0.8.4\n', 'vllm', '0.8.4'],
  ['requirements.txt', 'vllm>=0.8.2,<0.9\n', 'vllm', '0.8.2'],
  ['requirements.txt', 'vllm>=0.16.0\n', 'vllm', null],
  ['requirements.txt', 'vllm\n', 'vllm', null],
  ['requirements.txt', '# vllm==0.6.0\nvllm == 0.7.3  # pinned\n', 'vllm', '0.7.3'],
  ['requirements-gpu.txt', '--extra-index-url https://example.org\nvllm===0.11.0+cu129\n', 'vllm', '0.11.0'],
  ['constraints.txt', 'sglang[all]==0.5.2\n', 'sglang', '0.5.2'],
  ['requirements.txt', 'VLLM==0.9.1\r\n', 'vllm', '0.9.1'],
  ['uv.lock', lock('vllm', '0.12.0'), 'vllm', '0.12.0'],
  ['uv.lock', lock('torch', '2.8.0') + lock('vllm', '0.11.2'), 'vllm', '0.11.2'],
  ['poetry.lock', lock('vllm', '0.6.6.post1'), 'vllm', '0.6.6.post1'],
  ['pdm.lock', lock('sglang', '0.4.9'), 'sglang', '0.4.9'],
  [
    'Pipfile.lock',
    '{"default": {\n  "vllm": {\n    "hashes": [],\n    "version": "==0.7.2"\n  }\n}}\n',
    'vllm',
    '0.7.2',
  ],
  ['pixi.lock', '- pypi: https://x.org/vllm-0.10.1-cp38-abi3-manylinux1_x86_64.whl\n', 'vllm', '0.10.1'],
  ['pixi.lock', '- conda: https://x.org/linux-64/vllm-0.9.2-cuda128py312_0.conda\n', 'vllm', '0.9.2'],
  ['conda-lock.yml', '  url: https://x.org/linux-64/vllm-0.8.1-py311_0.conda\n', 'vllm', '0.8.1'],
  ['pyproject.toml', '[project]\nversion = "1.0"\ndependencies = ["vllm==0.13.0"]\n', 'vllm', '0.13.0'],
  ['pyproject.toml', '[project]\ndependencies = [\n  "vllm>=0.10.0,<0.11",\n]\n', 'vllm', '0.10.0'],
  ['pyproject.toml', '[tool.poetry.dependencies]\nvllm = "^0.8.2"\n', 'vllm', '0.8.2'],
  [
    'pyproject.toml',
    '[tool.poetry.dependencies]\nvllm = { version = "0.9.0", extras = ["audio"] }\n',
    'vllm',
    '0.9.0',
  ],
  ['pyproject.toml', '[tool.poetry.dependencies]\nvllm = "*"\n', 'vllm', null],
  ['pixi.toml', '[pypi-dependencies]\nvllm = "==0.11.1"\n', 'vllm', '0.11.1'],
  ['Pipfile', '[packages]\nvllm = "==0.6.4"\n', 'vllm', '0.6.4'],
  ['environment.yml', 'dependencies:\n  - pip:\n      - vllm==0.5.4\n', 'vllm', '0.5.4'],
  ['environment.yaml', 'dependencies:\n  - conda-forge::vllm=0.8.3\n', 'vllm', '0.8.3'],
  ['conda.yaml', 'dependencies:\n  - "vllm==0.7.0"\n', 'vllm', '0.7.0'],
  [
    'setup.py',
    'setup(\n  name="server",\n  version="1.0",\n  # "vllm==0.1.0",\n  install_requires=["vllm==0.10.1", "ray"],\n)\n',
    'vllm',
    '0.10.1',
  ],
  [
    'setup.py',
    "REQUIRED = ['torch', 'vllm>=0.9.0,<0.10']\nsetup(install_requires=REQUIRED)\n",
    'vllm',
    '0.9.0',
  ],
  [
    'setup.cfg',
    '[metadata]\nname = a\n[options]\ninstall_requires =\n    vllm==0.8.3\n    ray\n',
    'vllm',
    '0.8.3',
  ],
  ['Dockerfile', 'FROM vllm/vllm-openai:v0.9.2\n', 'vllm', '0.9.2'],
  ['Dockerfile.gpu', 'FROM --platform=linux/amd64 vllm/vllm-openai:v0.10.0 AS base\n', 'vllm', '0.10.0'],
  ['Dockerfile', 'FROM nvidia/cuda:12.4.1\nRUN pip install \\\n  "vllm==0.8.4" ray\n', 'vllm', '0.8.4'],
  ['Dockerfile', 'RUN uv pip install --system vllm==0.14.0 && rm -rf /x\n', 'vllm', '0.14.0'],
  ['Containerfile', 'FROM lmsysorg/sglang:v0.4.7\n', 'sglang', '0.4.7'],
  ['api.Dockerfile', 'FROM ghcr.io/huggingface/text-generation-inference:2.4.1\n', 'tgi', '2.4.1'],
  // What stays of a Dockerfile: its last stage, and what is installed last.
  [
    'Dockerfile',
    'ARG VLLM_VERSION=0.9.1\nFROM x\nARG VLLM_VERSION\nRUN pip install vllm==${VLLM_VERSION}\n',
    'vllm',
    '0.9.1',
  ],
  ['Dockerfile', 'FROM x\nARG VLLM_VERSION\nRUN pip install "vllm==${VLLM_VERSION}"\n', 'vllm', null],
  ['Dockerfile', 'ARG TAG=v0.8.5.post1\nFROM vllm/vllm-openai:${TAG}\n', 'vllm', '0.8.5.post1'],
  [
    'Dockerfile',
    'ENV VLLM_VERSION 0.9.2\nRUN uv pip install --system "vllm==$VLLM_VERSION"\n',
    'vllm',
    '0.9.2',
  ],
  ['Dockerfile', 'FROM vllm/vllm-openai:v0.8.5\nRUN pip install -U "vllm==0.9.0"\n', 'vllm', '0.9.0'],
  ['Dockerfile', 'FROM vllm/vllm-openai:v0.8.5 AS old\nFROM vllm/vllm-openai:v0.9.1\n', 'vllm', '0.9.1'],
  ['Dockerfile', 'FROM x\n# RUN pip install vllm==0.6.0\nRUN pip install vllm==0.9.0\n', 'vllm', '0.9.0'],
  ['Dockerfile', 'FROM x\nRUN conda install -y -c conda-forge vllm=0.8.3\n', 'vllm', '0.8.3'],
  ['Dockerfile', 'FROM x\nRUN pip install --index-url https://x.org/0.7.0 vllm==0.9.1\n', 'vllm', '0.9.1'],
  [
    'requirements.txt',
    'vllm==0.6.0 ; sys_platform == "darwin"\nvllm==0.9.1 ; sys_platform == "linux"\n',
    'vllm',
    '0.9.1',
  ],
  ['requirements.txt', 'vllm>=0.9.0,!=0.9.1,<0.10\n', 'vllm', '0.9.0'],
  ['requirements.txt', 'vllm>=0.8.0,<=0.8.5\n', 'vllm', '0.8.5'],
  ['requirements.txt', 'vllm @ git+https://github.com/vllm-project/vllm.git@v0.9.2\n', 'vllm', '0.9.2'],
  [
    'requirements.txt',
    'vllm @ https://x.org/v0.8.5/vllm-0.8.5+cu118-cp38-abi3-manylinux1_x86_64.whl\n',
    'vllm',
    '0.8.5',
  ],
  [
    'requirements.txt',
    '--index-url https://x.org/vllm==0.6.0\nvllm==0.10.0 --hash=sha256:00\n',
    'vllm',
    '0.10.0',
  ],
  [
    'uv.lock',
    'version = 1\n\n[[package]]\nname = "vllm"\nversion = "0.10.1.1"\nsource = { registry = "https://pypi.org/simple" }\ndependencies = [\n    { name = "torch" },\n]\n',
    'vllm',
    '0.10.1.1',
  ],
  [
    'poetry.lock',
    lock('ray', '2.40.0') + '\n[package.dependencies]\nvllm = ">=0.6"\n\n' + lock('vllm', '0.7.3'),
    'vllm',
    '0.7.3',
  ],
  [
    'pixi.lock',
    '- pypi: https://x.org/1a/vllm-0.9.2.tar.gz\n  name: vllm\n  version: 0.9.2\n  sha256: 00\n',
    'vllm',
    '0.9.2',
  ],
  ['pyproject.toml', '[project.optional-dependencies]\nvllm = ["vllm==0.10.1"]\n', 'vllm', '0.10.1'],
  ['pyproject.toml', 'dependencies = [\n  # "vllm==0.6.0",\n  "vllm==0.9.2",\n]\n', 'vllm', '0.9.2'],
  [
    'pyproject.toml',
    '[dependency-groups]\ngpu = [\n  "vllm[flashinfer]==0.11.0; sys_platform == \'linux\'",\n]\n',
    'vllm',
    '0.11.0',
  ],
  [
    'environment.yml',
    'dependencies:\n  - python=3.11\n  - pip\n  - pip:\n    - --extra-index-url https://x.org\n    - vllm[audio]==0.8.5.post1\n',
    'vllm',
    '0.8.5.post1',
  ],
];

const COMMANDS: readonly (readonly [command: string, says: string | null])[] = [
  ['pip install vllm==0.8.5', 'vllm 0.8.5'],
  ['uv pip install --system "vllm==0.10.0"', 'vllm 0.10.0'],
  ["python3 -m pip install 'sglang[all]==0.5.1'", 'sglang 0.5.1'],
  ['conda install -y vllm=0.7.1', 'vllm 0.7.1'],
  ['pip install -U vllm', null],
  ['uv add vllm==0.12.0', 'vllm 0.12.0'],
  ['pip install vllm==0.9.0 --extra-index-url https://wheels.vllm.ai/0.9.0/cu128', 'vllm 0.9.0'],
  ['pip install --pre vllm --index-url https://wheels.vllm.ai/nightly', null],
  [
    'pip install https://x.org/v0.6.1/vllm-0.6.1.post1+cu118-cp310-cp310-manylinux1_x86_64.whl',
    'vllm 0.6.1.post1',
  ],
  ['uv run --with vllm==0.11.0 vllm serve Qwen/Qwen3-8B', 'vllm 0.11.0'],
  ['uvx --from vllm==0.10.2 vllm serve Qwen/Qwen3-8B', 'vllm 0.10.2'],
  ['poetry add vllm@0.8.5', 'vllm 0.8.5'],
  ['micromamba install -y -n base vllm=0.7.3', 'vllm 0.7.3'],
];

describe('releases that things around a run state', () => {
  it('are those of an image’s tag', () => {
    for (const [image, says] of IMAGES) {
      const found = releaseOfImage(image);
      assert.equal(found && `${found.library} ${found.release}`, says, image);
    }
  });

  it('are those of files with requirements and locks', () => {
    for (const [name, text, library, release] of FILES) {
      assert.equal(releasesOfFile(name, text)?.get(library) ?? null, release, `${name}: ${text}`);
    }
  });

  it('are those that commands install', () => {
    for (const [command, says] of COMMANDS) {
      const [words = []] = scriptOf(whole(command), new Map()).always;
      const [found] = installedBy(words);
      assert.equal(found ? `${found.library} ${found.release}` : null, says, command);
    }
  });

  it('are more than a hundred cases', () =>
    assert.equal(IMAGES.length + FILES.length + COMMANDS.length, 109));
});
