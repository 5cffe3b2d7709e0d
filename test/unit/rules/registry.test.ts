import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { packs } from '../../../src/core/dialects/defined/packs';
import { dialects } from '../../../src/core/dialects/registry';
import { allRules } from '../../../src/core/rules/allRules';
import { guideRules } from '../../../src/core/rules/guides/registry';
import { rules } from '../../../src/core/rules/registry';

const camelCase = (id: string): string => id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A page's text between two of its headings. */
function section(page: string, heading: string): string {
  return new RegExp(`^## ${heading}\\n(.*?)(?=^## )`, 'ms').exec(page)?.[1]?.trim() ?? '';
}

describe('the catalog of rules', () => {
  it('names the constant of each rule after its id; what a guide says stands together', () => {
    const registry = readFileSync('src/core/rules/registry.ts', 'utf8');
    const listed = registry.slice(registry.indexOf('readonly Rule[] = ['));
    for (const { id } of rules) {
      assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
      assert.match(listed, new RegExp(`\\b${camelCase(id)}\\b`), id);
    }
    for (const { id, dialects: of } of guideRules) {
      assert.ok(of?.length === 1 && of[0]?.startsWith('guide-'), `${id} is told of one guide's configs`);
    }
    assert.equal(new Set(allRules.map(({ id }) => id)).size, allRules.length);
  });

  it('says of each rule what it is, where it was learnt and for whom', () => {
    const known = new Set(dialects.map(({ id }) => id));
    const projects = new Set(packs.map(({ id }) => id));
    for (const rule of allRules) {
      assert.match(rule.summary, /^(?:[A-Z`]|accelerate |bitsandbytes |vLLM ).*\.$/, rule.id);
      assert.ok(rule.sources.length > 0, rule.id);
      for (const dialect of rule.dialects ?? []) assert.ok(known.has(dialect), `${rule.id}: ${dialect}`);
      for (const pack of rule.packs ?? []) assert.ok(projects.has(pack), `${rule.id}: ${pack}`);
    }
  });

  it('explains each rule on a page of its own', () => {
    for (const { id } of allRules) {
      const page = readFileSync(`docs/rules/${id}.md`, 'utf8');
      for (const heading of ['What it means', 'What to do', 'Where this comes from']) {
        assert.notEqual(section(page, heading), '', `${id}: ${heading}`);
      }
    }
  });

  it('has tests for each rule', () => {
    const tests = readdirSync('test/unit/rules')
      .filter(name => name.endsWith('.test.ts'))
      .map(name => readFileSync(`test/unit/rules/${name}`, 'utf8'))
      .join('\n');
    for (const { id } of [...rules, ...guideRules]) assert.ok(tests.includes(`rule: '${id}'`), id);
  });
});
