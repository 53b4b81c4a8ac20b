/*
 * Decides when the state is stored along with an entry. A state is about as large as the plan, so at a fixed pace the
 * bytes written per step would grow with the plan. A state waits until the journal is large enough: all states together
 * are at most a 32nd of the entries, whatever the plan. The numbers are in
 * docs/decisions/0020-a-state-is-stored-when-cheap.md.
 */

/** A shorter journal replays as fast as a state loads. */
const FIRST_STATE_AFTER = 64;
const ENTRY_CHARACTERS_PER_STATE_CHARACTER = 32;

/** Counts what is written, in characters: nearly all of it is ASCII. */
export class StateSchedule {
  #entries = 0;
  #entryCharacters = 0;
  #stateCharacters = 0;
  /** How large the last state was, stored or not: the next one is hardly smaller. */
  #lastStateCharacters = 0;

  countEntry(characters: number): void {
    this.#entries += 1;
    this.#entryCharacters += characters;
  }

  /** Whether it is worth computing the size of the state. */
  get isDue(): boolean {
    return this.#entries >= FIRST_STATE_AFTER && this.#room >= this.#lastStateCharacters;
  }

  /** Whether a state of this size is stored now. */
  takes(characters: number): boolean {
    this.#lastStateCharacters = characters;
    if (this.#room < characters) return false;
    this.#stateCharacters += characters;
    return true;
  }

  /** A state was found here. Its room is taken as used up, because earlier states are not kept. */
  found(characters: number): void {
    this.#lastStateCharacters = characters;
    this.#stateCharacters += this.#room;
  }

  get #room(): number {
    return this.#entryCharacters / ENTRY_CHARACTERS_PER_STATE_CHARACTER - this.#stateCharacters;
  }
}
