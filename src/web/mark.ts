/** Souk's logo, an arch in a 24 by 24 box. */
export const ARCH = 'M3 22V11a9 9 0 0 1 18 0v11h-5v-9.5a4 4 0 0 0-8 0V22z'
