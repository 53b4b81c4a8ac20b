import type { OxlintOverride } from 'oxlint';

export type Rules = NonNullable<OxlintOverride['rules']>;

export type RuleSetting = NonNullable<Rules[string]>;
