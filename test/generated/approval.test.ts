import { holdChart } from './hold-chart.js';

holdChart('approval');
