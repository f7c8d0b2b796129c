// What `cinch --version` is measured against.
console.log("hello");
