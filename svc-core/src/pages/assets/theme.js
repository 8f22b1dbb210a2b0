// Before anything is drawn: the theme that the reader chose here or in the reference, or else the system's.
const chosen = localStorage.getItem("colorMode");
if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
