import assert from 'node:assert/strict';
import { checkRules, ruleContext } from '../../../src/core/rules/check';
import { rulesOf } from '../../../src/core/rules/fact';
import { facts } from '../../../src/core/rules/facts/registry';
import { assertSentence } from './cases';
import { runsOf } from './findings';

describe('facts about dialects', () => {
  for (const file of facts) {
    const rules = rulesOf(file);
    const reported = async (text: string, id: string): Promise<readonly string[]> => {
      const [run] = await runsOf(text);
      assert.ok(
        run && file.dialects.includes(run.dialect),
        `${id}: its example is read as ${run?.dialect ?? 'nothing'}`,
      );
      const context = ruleContext({
        run,
        model: null,
        modelWhy: null,
        target: null,
        estimate: null,
        missing: [],
      });
      const among = rules.filter(rule => rule.id === id);
      return checkRules(context, { severities: {} }, among).map(({ report }) => report.message);
    };
    for (const fact of file.facts) {
      it(`${fact.id}: reported for its example, silent on its counterexample`, async () => {
        const [message = '', ...more] = await reported(fact.example, fact.id);
        assert.deepEqual(more, []);
        assertSentence(message);
        assert.doesNotMatch(message, /[{}]/);
        assert.deepEqual(await reported(fact.counterexample, fact.id), []);
      });
    }
  }
});
