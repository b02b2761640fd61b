/** whenEnded says why a sign-in is over that was not ended on this page. */
export const whenEnded =
  "A sign-in ends after 30 minutes without use, after 12 hours, and when someone ends it.";
