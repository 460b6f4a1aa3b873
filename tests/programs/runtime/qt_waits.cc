// A program of Qt: threads that wait for each other, a dialog that a timer closes, a child. Prints
// only what does not depend on time.
#include <QtWidgets>
#include <cstdio>

class Worker : public QThread {
 public:
  Worker(QMutex& mutex, QWaitCondition& changed, int& ready)
      : mutex_(mutex), changed_(changed), ready_(ready) {}
  void run() override {
    for (int i = 0; i < 10; ++i) {
      {
        const QMutexLocker locker(&mutex_);
        QThread::msleep(2);
      }
      QThread::yieldCurrentThread();
    }
    const QMutexLocker locker(&mutex_);
    ++ready_;
    changed_.wakeAll();
  }

 private:
  QMutex& mutex_;
  QWaitCondition& changed_;
  int& ready_;
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  QMutex mutex;
  QWaitCondition changed;
  int ready = 0;
  Worker first(mutex, changed, ready);
  Worker second(mutex, changed, ready);
  QDialog dialog;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, [&] {
    const QMutexLocker locker(&mutex);
    if (ready == 2) dialog.accept();
  });
  timer.start(5);
  first.start();
  second.start();
  const int answer = dialog.exec();
  {
    QMutexLocker locker(&mutex);
    while (ready < 2) changed.wait(&mutex);
  }
  first.wait();
  second.wait();
  QProcess child;
  child.start("/bin/sh", {"-c", "sleep 0.05; echo from the child; exit 3"});
  child.waitForFinished();
  std::printf("dialog %d, ready %d, child %d: %s", answer, ready, child.exitCode(),
              child.readAllStandardOutput().constData());
  return 7;
}
