import assert from 'node:assert/strict';
import fc from 'fast-check';
import { releaseOfImage } from '../../../src/core/dialects/command/pins';
import { pinOf } from '../../../src/core/dialects/command/pins';
import { releaseFilesIn, releaseOfMetadata, releasesOfFile } from '../../../src/core/dialects/releases/files';
import { packageName } from '../../../src/core/spec/version';
import { tries } from '../../tries';

type Row = readonly [where: string, text: string, library: string, release: string | null];

const IMAGES: readonly (readonly [image: string, stated: string | null])[] = [
  ['vllm/vllm-openai:v0.19.0', 'vllm 0.19.0'],
  ['vllm/vllm-openai:latest', null],
  ['vllm/vllm-openai', null],
  ['vllm/vllm-openai@sha256:0a1b2c', null],
  ['vllm/vllm-openai:v0.8.5.post1@sha256:0a1b2c', 'vllm 0.8.5.post1'],
  ['docker.io/vllm/vllm-openai:v0.6.3.post1', 'vllm 0.6.3.post1'],
  ['registry.example.com:5000/vllm/vllm-openai:v0.10.1.1', 'vllm 0.10.1.1'],
  ['registry.example.com:5000/vllm/vllm-openai', null],
  ['vllm/vllm-openai:v0.11.0-cu130', 'vllm 0.11.0'],
  ['public.ecr.aws/deep-learning-containers/vllm:0.14.1-gpu-py312', 'vllm 0.14.1'],
  ['rocm/vllm:rocm6.4.1_vllm_0.9.1_20250702', 'vllm 0.9.1'],
  ['lmsysorg/sglang:v0.4.6.post1-cu124', 'sglang 0.4.6.post1'],
  ['lmsysorg/sglang:latest', null],
  ['ghcr.io/huggingface/text-generation-inference:3.3.4', 'tgi 3.3.4'],
  ['ghcr.io/huggingface/text-generation-inference:2.0', 'tgi 2.0'],
  ['ghcr.io/huggingface/text-embeddings-inference:turing-1.5', 'tei 1.5'],
  ['ghcr.io/huggingface/text-embeddings-inference:89-1.7.2', 'tei 1.7.2'],
  ['ollama/ollama:0.5.7', 'ollama 0.5.7'],
  ['pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel', 'torch 2.4.1'],
  ['huggingface/transformers-pytorch-gpu:4.41.2', 'transformers 4.41.2'],
  ['axolotlai/axolotl:0.8.0', 'axolotl 0.8.0'],
  ['axolotlai/axolotl-cloud:main-latest', null],
  ['hiyouga/llamafactory:0.9.3', 'llamafactory 0.9.3'],
  ['nvcr.io/nvidia/pytorch:24.05-py3', null],
  ['ghcr.io/pytorch/torchtune-recipes:0.6', null],
  ['nginx:1.27', null],
  ['', null],
];

const PINS: readonly (readonly [requirement: string, pin: string | null])[] = [
  ['vllm==0.8.5', 'vllm 0.8.5'],
  ['vllm[audio]==0.8.5.post1 ; python_version > "3.9"', 'vllm 0.8.5.post1'],
  ['vllm == 0.9.2', 'vllm 0.9.2'],
  ['vLLM===0.9.2', 'vllm 0.9.2'],
  ['vllm~=0.8.4', 'vllm 0.8.4'],
  ['vllm>=0.8.2,<0.9', 'vllm 0.8.2'],
  ['vllm<0.9,>=0.8.2', 'vllm 0.8.2'],
  ['vllm>=0.8.2,<1.0', null],
  ['vllm>=0.8.2', null],
  ['vllm<0.9', null],
  ['vllm!=0.9.0', null],
  ['vllm', null],
  ['vllm==0.8.*', 'vllm 0.8'],
  ['vllm=0.8.5', 'vllm 0.8.5'],
  ['flash_attn==2.7.4', 'flash-attn 2.7.4'],
  ['git+https://github.com/vllm-project/vllm.git@v0.8.5', 'vllm 0.8.5'],
  ['git+https://github.com/vllm-project/vllm.git@main', null],
  ['# vllm==0.8.5', null],
  ['--extra-index-url https://example.com/vllm==0.8.5', null],
];

const LOCK = `version = 1
requires-python = ">=3.11"

[[package]]
name = "vllm"
version = "0.10.2"
source = { registry = "https://example.com/simple" }
dependencies = [
    { name = "torch" },
]

[[package]]
name = "vllm-plugin"
version = "9.9.9"
`;

const FILES: readonly Row[] = [
  ['uv.lock', LOCK, 'vllm', '0.10.2'],
  ['uv.lock', LOCK, 'torch', null],
  ['poetry.lock', LOCK.replace('name = "vllm"\n', 'name = "vllm"\n'), 'vllm', '0.10.2'],
  ['pdm.lock', LOCK, 'VLLM', '0.10.2'],
  [
    'pixi.lock',
    '  - pypi: https://example.com/a1/vllm-0.9.2-cp38-abi3-manylinux1_x86_64.whl\n',
    'vllm',
    '0.9.2',
  ],
  [
    'conda-lock.yml',
    'url: https://example.com/conda-forge/linux-64/vllm-0.8.5-py311h_1.conda\n',
    'vllm',
    '0.8.5',
  ],
  [
    'Pipfile.lock',
    '{\n  "default": {\n    "vllm": {\n      "version": "==0.7.3"\n    }\n  }\n}\n',
    'vllm',
    '0.7.3',
  ],
  ['requirements.txt', 'torch\nvllm==0.6.6\n', 'vllm', '0.6.6'],
  ['requirements.txt', 'vllm>=0.6.6\n', 'vllm', null],
  ['requirements.txt', '-r base.txt\nvllm==0.7.0 --hash=sha256:00\n', 'vllm', '0.7.0'],
  ['requirements-serve.txt', 'vllm[flashinfer]==0.11.0 # pinned\n', 'vllm', '0.11.0'],
  ['constraints.txt', 'sglang==0.4.6.post1\n', 'sglang', '0.4.6.post1'],
  [
    'pyproject.toml',
    '[project]\nversion = "1.0"\ndependencies = ["vllm==0.12.0", "torch"]\n',
    'vllm',
    '0.12.0',
  ],
  ['pyproject.toml', '[project]\ndependencies = [\n  "vllm>=0.12.0,<0.13",\n]\n', 'vllm', '0.12.0'],
  ['pyproject.toml', '[project]\nname = "vllm"\nversion = "2.0"\n', 'vllm', null],
  ['pyproject.toml', '[tool.poetry.dependencies]\nvllm = "^0.8.2"\n', 'vllm', '0.8.2'],
  [
    'pyproject.toml',
    '[tool.poetry.dependencies]\nvllm = { version = "0.8.2", extras = ["a"] }\n',
    'vllm',
    '0.8.2',
  ],
  ['environment.yml', 'dependencies:\n  - python=3.11\n  - pip:\n    - vllm==0.9.1\n', 'vllm', '0.9.1'],
  ['environment.yaml', 'dependencies:\n  - conda-forge::vllm=0.8.4\n', 'vllm', '0.8.4'],
  ['Dockerfile', 'FROM vllm/vllm-openai:v0.9.2\n', 'vllm', '0.9.2'],
  ['Dockerfile', 'FROM python:3.12\nRUN pip install --no-cache-dir "vllm==0.10.0" ray\n', 'vllm', '0.10.0'],
  ['serve.Dockerfile', 'FROM --platform=linux/amd64 vllm/vllm-openai:v0.9.1 AS base\n', 'vllm', '0.9.1'],
  ['Dockerfile.gpu', 'RUN uv pip install \\\n  vllm==0.8.1 \\\n  torch\n', 'vllm', '0.8.1'],
  ['README.md', 'vllm==0.8.1\n', 'vllm', null],
];

describe('releases: where they are stated', () => {
  it('reads the release of a server in the tag of its image', () => {
    for (const [image, stated] of IMAGES) {
      const found = releaseOfImage(image);
      assert.equal(found && `${found.library} ${found.release}`, stated, image);
    }
  });

  it('reads a requirement that leaves one minor release', () => {
    for (const [requirement, pin] of PINS) {
      assert.equal(pinOf(requirement)?.join(' ') ?? null, pin, requirement);
    }
  });

  it('reads locks, requirements, environments and Dockerfiles', () => {
    for (const [name, text, library, release] of FILES) {
      assert.equal(
        releasesOfFile(name, text)?.get(packageName(library)) ?? null,
        release,
        `${name}: ${text}`,
      );
    }
  });

  it('has sixty rows and more', () => {
    assert.ok(IMAGES.length + PINS.length + FILES.length >= 60);
  });

  it('asks locks before requirements, and these before Dockerfiles', () => {
    const names = ['Dockerfile', 'README.md', 'pyproject.toml', 'requirements.txt', 'uv.lock'];
    assert.deepEqual(releaseFilesIn(names), ['uv.lock', 'requirements.txt', 'pyproject.toml', 'Dockerfile']);
  });

  it('reads what is installed from the name of its metadata', () => {
    assert.equal(releaseOfMetadata('vllm-0.9.2.dist-info', 'vllm'), '0.9.2');
    assert.equal(releaseOfMetadata('vllm_plugin-0.9.2.dist-info', 'vllm'), null);
    assert.equal(releaseOfMetadata('vllm', 'vllm'), null);
  });

  it('reads any text', () => {
    const names = [
      'uv.lock',
      'pixi.lock',
      'Pipfile.lock',
      'requirements.txt',
      'pyproject.toml',
      'environment.yml',
      'Dockerfile',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string({ maxLength: 300 }), (name, text) => {
        const found = releasesOfFile(name, text)?.get('vllm');
        return found === undefined || found.length > 0;
      }),
      { numRuns: tries(200) },
    );
  });
});
