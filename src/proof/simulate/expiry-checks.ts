import type { JournalEntry } from '../../journal/entry.js';
import type { Life, Writing } from './life.js';
import type { Environment } from './environment.js';

/**
 * Before a question expires, its owner reads the inbox: the read is sent after the deadline by the time of the journal,
 * and answers in the store by then are handled before the expiry. The order of requests at the store decides, and only
 * the owner's clock.
 */
export const checkExpiries = (
  environment: Environment,
  life: Life,
  entry: JournalEntry,
  writing: Writing,
): void => {
  for (const fact of entry.facts) {
    if (fact.type !== 'approval.expired') continue;
    const { requestId } = fact;
    const askedAtMs = environment.ledger.askedAtMs.get(requestId) ?? 0;
    const deadlineMs = askedAtMs + environment.setting.policy.approval.timeoutMs;
    const aheadMs = entry.at - writing.sentAtMs;
    const looks = life.looks.slice(0, writing.lookCount);
    const look = looks.find(({ sentAtMs }) => sentAtMs + aheadMs >= deadlineMs);
    const unseen = `${requestId} expired before its owner read the inbox`;
    environment.expect(look !== undefined, 'commands-kept', unseen);
    if (look !== undefined) checkJudged(environment, requestId, look.place, entry.sequence);
  }
};

const checkJudged = (
  environment: Environment,
  requestId: string,
  place: number,
  expirySequence: number,
): void => {
  for (const posted of environment.truth.posted.values()) {
    if (posted.requestId !== requestId || posted.place > place) continue;
    const judged = environment.truth.judged.get(posted.id);
    const isJudged = judged !== undefined && judged.sequence < expirySequence;
    const message = `${posted.id} came in time, and ${requestId} expired`;
    environment.expect(isJudged, 'commands-kept', message);
  }
};
