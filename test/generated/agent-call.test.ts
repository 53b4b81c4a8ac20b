import { holdChart } from './hold-chart.js';

holdChart('agentCall');
