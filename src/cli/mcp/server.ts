import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { fileURLToPath } from 'node:url';
// As a namespace, so that the bundle leaves out what is not used, such as zod's texts in 50 languages.
import * as z from 'zod';
import { GOALS } from '../../core/plan/goals';
import { version } from '../../../package.json';
import { BadInput, whyFailed } from '../output';
import { bounded } from './answers';
import { askThrough } from './ask';
import { Refusal, Roots } from './roots';
import { apply, check, explain, gpus, jobs, plan, where } from './tools';
import type { Workspace } from './tools';

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const CHANGES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const gpu = {
  gpu: z.string().optional().describe('GPU name or memory: "RTX 4090", "24GB"; default: the GPUs here'),
  gpus: z.number().int().min(1).max(100_000).optional().describe('number of GPUs'),
};
const path = z.string().describe('config, launch script or manifest in the workspace');
/** A run to read: one of the two. */
const run = {
  path: path.optional(),
  command: z.string().max(20_000).optional().describe('a command line, such as "vllm serve …"'),
};
const goal = z.enum(GOALS.map(one => one.goal)).default('fit');

type Answer = Promise<CallToolResult>;
type Using = <Input>(tool: (input: Input, at: Workspace) => Promise<string>) => (input: Input) => Answer;

/** Serves Headroom's tools to an agent over stdin and stdout until the client leaves. */
export async function serve(folders: readonly string[]): Promise<void> {
  const server = new McpServer({ name: 'headroom', version });
  const using = usingWorkspace(server, folders);
  addAnswers(server, using);
  addPlans(server, using);
  addMachines(server, using);
  await server.connect(new StdioServerTransport());
}

function addAnswers(server: McpServer, using: Using): void {
  server.registerTool(
    'check',
    {
      annotations: READS,
      description:
        'Does it fit in GPU memory? Verdict and expected memory of each run of a config, script, folder, command line or config text, without running it.',
      inputSchema: {
        ...run,
        text: z.string().max(200_000).optional().describe('a config as text'),
        ...gpu,
      },
    },
    using(check),
  );
  server.registerTool(
    'explain',
    {
      annotations: READS,
      description: 'Why does a run need this much GPU memory? Largest terms, and each value with its origin.',
      inputSchema: {
        ...run,
        run: z.string().optional().describe('name of the run, if it has several'),
        ...gpu,
      },
    },
    using(explain),
  );
}

function addPlans(server: McpServer, using: Using): void {
  server.registerTool(
    'plan',
    {
      annotations: READS,
      description:
        'Which changes make a run fit, faster or larger? Edits with their effect; changes nothing.',
      inputSchema: { ...run, goal, ...gpu },
    },
    using(plan),
  );
  server.registerTool(
    'apply',
    {
      annotations: CHANGES,
      description: 'Make the edits of a plan in the config. Asks the user first, keeps a backup.',
      inputSchema: { path, goal, plan: z.number().int().min(1).describe('its number in plan'), ...gpu },
    },
    using(apply),
  );
}

function addMachines(server: McpServer, using: Using): void {
  server.registerTool(
    'where',
    {
      annotations: READS,
      description: 'On which GPUs does a run fit, here and to rent, and what do they cost per hour?',
      inputSchema: { ...run, gpu: gpu.gpu },
    },
    using(where),
  );
  server.registerTool(
    'gpus',
    {
      annotations: READS,
      description: 'GPUs of this machine now: memory in use, load, temperature.',
      inputSchema: {},
    },
    using((_: unknown, at) => gpus(at)),
  );
  server.registerTool(
    'jobs',
    {
      annotations: CHANGES,
      description:
        'Jobs that Headroom started: list, logs, stop, start. Starting and stopping ask the user first.',
      inputSchema: {
        action: z.enum(['list', 'logs', 'stop', 'start']).default('list'),
        job: z.string().optional().describe('id, part of an id, or "last"'),
        path: path.optional(),
      },
    },
    using(jobs),
  );
}

/** A tool with the workspace as the client says it is now; errors become answers that the agent can act on. */
function usingWorkspace(server: McpServer, folders: readonly string[]): Using {
  const ask = askThrough(server);
  return tool => async input => {
    try {
      const named = await workspaceOf(server, folders);
      const at = { roots: Roots.of(named), folder: named[0] ?? process.cwd(), ask };
      return { content: [{ type: 'text', text: await tool(input, at) }] };
    } catch (error) {
      const isExpected = error instanceof Refusal || error instanceof BadInput;
      const text = bounded(isExpected ? error.message : `headroom failed: ${whyFailed(error)}`);
      return { isError: true, content: [{ type: 'text', text }] };
    }
  };
}

/** The folders that the user named; otherwise the client's, otherwise the working folder. */
async function workspaceOf({ server }: McpServer, folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length > 0) return folders;
  if (server.getClientCapabilities()?.roots === undefined) return [process.cwd()];
  const { roots } = await server.listRoots();
  const local = roots.flatMap(({ uri }) => (uri.startsWith('file:') ? [fileURLToPath(uri)] : []));
  return local.length > 0 ? local : [process.cwd()];
}
