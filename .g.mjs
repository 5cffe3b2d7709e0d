import { readFileSync, mkdtempSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const ids=process.argv[2].split(' ');
const client = new Client({ name: 'x', version: '1' }, {});
const at=mkdtempSync('/tmp/h9/w23/gg-');
await client.connect(new StdioClientTransport({ command: process.execPath, args: [process.cwd()+'/dist/cli.js', 'mcp'],cwd:at, env:{HOME:at,PATH:''} }));
for(const l of readFileSync('test/fixtures/guard/commands.jsonl','utf8').trim().split('\n')){const o=JSON.parse(l); if(!ids.includes(o.id)) continue;
const r=await client.callTool({name:'check',arguments:{command:o.command,gpu:o.gpu,gpus:o.gpus}});
console.log(o.id,o.gpus+'x'+o.gpu,'=>',r.content[0].text.split('\n').slice(0,6).join(' / ').replace(/command.sh/g,'').slice(0,330));}
await client.close();
