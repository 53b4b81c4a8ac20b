import { describeChart } from './chart-tests.js';

describeChart('agentCall');
