// A program of a user's: its sources, built with -pg and run, below a folder of its own.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAIN = `#include <stdio.h>
#include "shapes.h"

static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }

int is_odd(int n) {
    return n == 0 ? 0 : is_even(n - 1);
}

int main(void) {
    double sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sum += area(i);
    }
    sum += is_even(40);
    for (int i = 0; i < 7; i++) {
        sum += outline(i);
    }
    for (int i = 0; i < 300; i++) {
        sum += volume(i) + weigh(i);
    }
    printf("%.0f\\n", sum);
    return 0;
}
`;

const SHAPES = `#include "shapes.h"

double spin(int rounds) {
    double sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += i * 0.5;
    }
    return sum;
}

double area(int side) {
    return spin(2000) + side;
}

double outline(int side) {
    double sum = side;
    sum += spin(200);
    return sum;
}

static double layer(int side) {
    return spin(20000) + side;
}

double volume(int side) {
    return layer(side) + layer(side + 1);
}

double weigh(int side) {
    double sum = side;
    for (int i = 0; i < 30000; i++) {
        sum += i % 7;
    }
    return sum;
}
`;

const header = (rounds) => `#ifndef SHAPES_H
#define SHAPES_H
#define ROUNDS ${rounds}
double spin(int rounds);
double area(int side);
double outline(int side);
double volume(int side);
double weigh(int side);
int is_odd(int n);
#endif
`;

export class Project {
  // With counts that can be told from each other: area is called `rounds` times, outline 7 times.
  static async create(folder, rounds) {
    const project = new Project(folder);
    await fs.mkdir(folder, { recursive: true });
    await project.write('main.c', MAIN);
    await project.write('shapes.c', SHAPES);
    await project.setRounds(rounds);
    return project;
  }

  constructor(folder) {
    this.folder = folder;
  }

  async write(name, text) {
    await fs.writeFile(path.join(this.folder, name), text);
  }

  async setRounds(rounds) {
    await this.write('shapes.h', header(rounds));
  }

  async build(sources = ['main.c', 'shapes.c'], program = 'shapes') {
    await run('gcc', ['-g', '-pg', '-O0', ...sources, '-o', program], { cwd: this.folder });
  }

  async run(program = 'shapes') {
    const { GMON_OUT_PREFIX: _, ...environment } = process.env;
    await run(`./${program}`, [], { cwd: this.folder, env: environment });
  }

  // Every file with what it holds: for whoever has to leave the folder as it is.
  async listing() {
    const found = [];
    const entries = await fs.readdir(this.folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      const { size, mtimeMs } = await fs.stat(file);
      found.push(`${path.relative(this.folder, file)} ${size} ${mtimeMs}`);
    }
    return found.sort();
  }
}
