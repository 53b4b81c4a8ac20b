import { holdChart } from './hold-chart.js';

holdChart('breaker');
