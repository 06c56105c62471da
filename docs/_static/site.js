// A page that is opened from a folder may not fetch others, so search shows titles alone there.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
